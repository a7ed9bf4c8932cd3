"""`attention.masked_softmax`: weights for the keys that are there."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.attention import some


def _scores(rng, *shape, size=1.0):
    return {"scores": size * rng.standard_normal(shape)}


def _alone(rng):
    mask = some(rng, 2, 3, 5)
    mask[0, 1] = mask[1, 2] = False
    return {**_scores(rng, 2, 3, 5), "mask": mask}


def _not_a_number(rng):
    made = {**_scores(rng, 2, 3, 5), "mask": some(rng, 2, 3, 5)}
    made["scores"][~made["mask"]] = np.nan
    return made


def _low(rng):
    """Allowed scores near −40,000 and near −4·10¹⁰, masked ones near 0."""
    made = {**_scores(rng, 2, 5), "mask": np.array([[True, True, False, True, True]] * 2)}
    made["scores"] -= np.array([[4e4], [4e10]]) * made["mask"]
    return made


def _with_zeros(rng):
    made = _scores(rng, 2, 3, 5)
    made["scores"][..., 3] = 0
    return made


EXERCISE = Exercise(
    title="A masked softmax",
    section="masked-softmax",
    tolerance=1e-10,
    cases=(
        Case("no mask", _with_zeros, grad=("scores",)),
        Case("a batch of one", lambda rng: _scores(rng, 1, 3, 5), grad=("scores",), corner=True),
        Case(
            "a mask for each query",
            lambda rng: {**_scores(rng, 2, 3, 5), "mask": some(rng, 2, 3, 5)},
            2,
            grad=("scores",),
        ),
        Case(
            "padding",
            lambda rng: {**_scores(rng, 2, 3, 5), "mask": np.arange(5) < np.array([[[3]], [[4]]])},
            grad=("scores",),
        ),
        Case(
            "several batch axes",
            lambda rng: {**_scores(rng, 2, 3, 2, 5), "mask": some(rng, 2, 1, 2, 5)},
            grad=("scores",),
            corner=True,
        ),
        Case("queries without a key", _alone, 2, grad=("scores",)),
        Case("scores that are not a number", _not_a_number, grad=("scores",)),
        Case("large scores", lambda rng: _scores(rng, 2, 5, size=3e3)),
        Case(
            "large scores, and a mask",
            lambda rng: {**_scores(rng, 2, 5, size=3e3), "mask": some(rng, 2, 5)},
        ),
        Case("allowed scores that are very low", _low, grad=("scores",)),
        Case(
            "as many queries as keys",
            lambda rng: {**_scores(rng, 5, 5), "mask": np.tri(5, dtype=bool)},
            grad=("scores",),
        ),
        Case(
            "a mask of numbers",
            lambda rng: {**_scores(rng, 2, 3), "mask": np.ones((2, 3))},
            raises="ValueError",
        ),
        Case(
            "a mask of bytes",
            lambda rng: {**_scores(rng, 2, 3), "mask": np.ones((2, 3), dtype=np.uint8)},
            raises="ValueError",
        ),
        Case(
            "in float32, one mask for all queries",
            lambda rng: {**_scores(rng, 3, 5), "mask": some(rng, 5)},
            dtype="float32",
        ),
        Case(
            "nothing at all, one row for all",
            lambda rng: {**_scores(rng, 2, 3, 5), "mask": np.zeros(5, bool)},
            grad=("scores",),
            hidden=True,
            corner=True,
        ),
        Case(
            "whole queries",
            lambda rng: {**_scores(rng, 3, 5), "mask": np.array([[True], [False], [True]])},
            grad=("scores",),
            hidden=True,
            corner=True,
        ),
        Case(
            "one mask for the batch",
            lambda rng: {**_scores(rng, 3, 3, 3), "mask": np.tri(3, dtype=bool)},
            grad=("scores",),
            corner=True,
        ),
        Case("the lowest scores there are", lambda rng: _lowest(rng), corner=True),
    ),
    hint=(
        "Fill in −∞ before the softmax, and 0 after it: a row without keys is 0/0. Where a mask is "
        "filled in, no gradient passes; where −∞ is added, a NaN passes."
    ),
)


def _lowest(rng):
    """Allowed scores as low as floats go, masked ones near 0."""
    scores = rng.standard_normal((2, 5))
    mask = np.array([[True, False, True, True, False], [False, True, False, False, False]])
    scores[mask] = np.finfo(float).min
    return {"scores": scores, "mask": mask}
