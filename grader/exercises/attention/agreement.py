"""`attention.agreement`: whether attention looks where it should."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.attention import weights_of


def _inputs(rng, *shape, share=0.4):
    return {"weights": weights_of(rng, *shape), "gold": rng.random(shape) < share}


def _uneven(rng):
    """Rows without a gold position, more in one sentence than in the other."""
    made = _inputs(rng, 3, 11, 5)
    made["gold"][0, 2:] = made["gold"][1, :4] = made["gold"][2, 9] = False
    return made


def _nothing(rng):
    """Queries without a key have zeros for weights; their rows count, where gold has something."""
    made = _inputs(rng, 2, 7, 5)
    made["weights"][:, 2] = made["weights"][0, 4] = 0
    made["gold"][0, 2], made["gold"][1, 2] = np.eye(5, dtype=bool)[[0, 3]]
    made["gold"][0, 4] = [True, True, False, False, False]
    return made


def _ties(rng):
    made = _inputs(rng, 2, 7, 5)
    made["weights"] = np.full((2, 7, 5), 0.2)
    made["gold"][0, :, 0], made["gold"][1, :, 0] = True, False
    made["gold"][..., -1] = False
    return made


EXERCISE = Exercise(
    title="Agreement of attention with a known alignment",
    section="alignment",
    cases=(
        Case("one sentence", lambda rng: _inputs(rng, 13, 5)),
        Case("a batch", lambda rng: _inputs(rng, 3, 11, 5), 2),
        Case("rows that do not count", _uneven, 2),
        Case("one gold position in most rows", lambda rng: _inputs(rng, 5, 17, 7, share=0.15)),
        Case("as long as its source", lambda rng: _inputs(rng, 2, 7, 7)),
        Case("several batch axes", lambda rng: _inputs(rng, 3, 2, 7, 5, share=0.2), corner=True),
        Case("equal weights", _ties, corner=True),
        Case("a row of zeros", _nothing, corner=True),
        Case(
            "no row counts",
            lambda rng: {**_inputs(rng, 3, 5), "gold": np.zeros((3, 5), bool)},
            corner=True,
        ),
        Case("in float16", _uneven, dtype="float16"),
        Case(
            "two batch axes",
            lambda rng: _inputs(rng, 2, 3, 11, 5, share=0.2),
            hidden=True,
            corner=True,
        ),
    ),
    hint=(
        "`argmax` finds the largest weight of a row, `gather` reads gold there, and `any` says "
        "which rows count."
    ),
)
