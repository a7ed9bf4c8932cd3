"""`recurrent.last_states`: where each direction has read everything."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.recurrent import RAGGED

EXERCISE = Exercise(
    title="The last state of each sequence",
    section="padding",
    cases=(
        Case("four lengths", lambda rng: _inputs(rng, RAGGED), 2, grad=("output",)),
        Case(
            "both directions",
            lambda rng: _inputs(rng, RAGGED, bidirectional=True),
            2,
            grad=("output",),
        ),
        Case("longer padding", lambda rng: _inputs(rng, np.array([5, 2]), longest=11)),
        Case("one sequence", lambda rng: _inputs(rng, np.array([3]), longest=5), corner=True),
        Case("in float32", lambda rng: _inputs(rng, RAGGED), dtype="float32"),
        Case("on another device", lambda rng: _away(rng), probe="elsewhere"),
        Case(
            "one sequence, both directions",
            lambda rng: _inputs(rng, np.array([3]), longest=5, bidirectional=True),
            hidden=True,
            corner=True,
        ),
    ),
    hint="`output[rows, positions]` with two vectors of indices picks one position from each row.",
)


def _inputs(rng, lengths, *, longest=7, **both):
    features = 10 if both else 5  # half of them is not half of the positions
    return {
        "output": rng.standard_normal((len(lengths), longest, features)),
        "lengths": lengths,
        **both,
    }


def _away(rng):
    """Whole numbers: only where the result lies is looked at."""
    output = rng.integers(3, size=(2, 3, 2)).astype(float)
    return {"output": output, "lengths": np.array([3, 1]), "bidirectional": True}
