"""`preference.bradley_terry_loss`: scores from comparisons."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.preference import normal

EXERCISE = Exercise(
    title="The Bradley–Terry loss",
    section="comparisons",
    cases=(
        Case("a batch", lambda rng: _given(rng), 2, grad=("chosen", "rejected")),
        Case("far apart", lambda rng: _far(rng), 2, grad=("chosen", "rejected"), corner=False),
        Case("equal scores", lambda rng: _equal(rng), grad=("chosen",), corner=True),
        Case("a little and far", lambda rng: _steps(rng), grad=("chosen", "rejected"), corner=True),
        Case("wrong by a dozen", lambda rng: _dozen(rng), grad=("chosen", "rejected")),
        Case("one pair", lambda rng: _given(rng, rows=1), grad=("chosen",), corner=True),
        Case("in float32", lambda rng: _given(rng), dtype="float32", grad=("chosen",)),
        Case("eleven pairs", lambda rng: _given(rng, rows=11), hidden=True),
    ),
    hint="torch has a function for the logarithm of a sigmoid that does not overflow.",
)


def _given(rng, *, rows=5, size=2.0):
    return {"chosen": normal(rng, rows, size=size), "rejected": normal(rng, rows, size=size)}


def _equal(rng):
    same = normal(rng, 4)
    return {"chosen": same, "rejected": np.copy(same)}


def _steps(rng):
    """Differences from -20 to 20, where no part of the curve is yet a straight line."""
    rejected = normal(rng, 9)
    return {"chosen": rejected + np.linspace(-20, 20, 9), "rejected": rejected}


def _dozen(rng):
    """Where the loss is nearly a straight line, and its slope nearly 1."""
    rejected = normal(rng, 5)
    return {"chosen": rejected - np.linspace(10.1, 13, 5), "rejected": rejected}


def _far(rng):
    """The first pair is ordered very wrongly."""
    given = _given(rng, size=300.0)
    given["chosen"][0] -= 9000
    return given
