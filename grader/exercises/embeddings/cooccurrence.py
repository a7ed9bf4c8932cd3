"""`embeddings.cooccurrence`: counting who meets whom."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise


def _pairs(rng, *, count=101, words=7, used=None):
    used = words if used is None else used
    center = np.minimum(rng.geometric(0.3, size=count) - 1, used - 1)
    return {"pairs": np.stack([center, rng.integers(used, size=count)], 1), "words": words}


EXERCISE = Exercise(
    title="Co-occurrence counts",
    section="counting-neighbors",
    hint=(
        "A pair (i, j) is cell i·V + j of a matrix read row by row; `torch.bincount` counts how "
        "often each number occurs."
    ),
    cases=(
        Case("many pairs", _pairs, 2),
        Case("some words missing", lambda rng: _pairs(rng, words=13, used=5)),
        Case("a few pairs", lambda rng: _pairs(rng, count=5, words=3)),
        Case(
            "a center beyond the vocabulary",
            lambda rng: {"pairs": np.array([[0, 1], [4, 1], [2, 0]]), "words": 4},
            raises="ValueError",
        ),
        Case(
            "a context beyond the vocabulary",
            lambda rng: {"pairs": np.array([[0, 1], [1, 4], [2, 0]]), "words": 4},
            raises="ValueError",
        ),
        Case(
            "a negative number",
            lambda rng: {"pairs": np.array([[0, 1], [1, -1], [2, 0]]), "words": 4},
            raises="ValueError",
        ),
        Case(
            "one word",
            lambda rng: {"pairs": np.zeros((3, 2), dtype=np.int64), "words": 1},
            corner=True,
        ),
        Case(
            "no pair",
            lambda rng: {"pairs": np.zeros((0, 2), dtype=np.int64), "words": 3},
        ),
        Case("a larger vocabulary", lambda rng: _pairs(rng, words=19), hidden=True, corner=True),
    ),
)
