"""`attention.attend`: the weighted mean of the values."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.attention import READY_MADE, some

GRAD = ("scores", "value")


def _inputs(rng, *batch, queries=3, keys=5, d_v=11, size=1.0):
    return {
        "scores": size * rng.standard_normal((*batch, queries, keys)),
        "value": 10 * rng.standard_normal((*batch, keys, d_v)),
    }


EXERCISE = Exercise(
    title="Attention weights and the weighted mean",
    section="context-vector",
    cases=(
        Case("no mask", _inputs, grad=GRAD),
        Case("a batch", lambda rng: _inputs(rng, 2), 2, grad=GRAD),
        Case(
            "padding",
            lambda rng: {**_inputs(rng, 2), "mask": np.arange(5) < np.array([[[3]], [[4]]])},
            2,
            grad=GRAD,
        ),
        Case("as many queries as keys", lambda rng: _inputs(rng, 2, queries=5, d_v=5), grad=GRAD),
        Case(
            "nobody may look",
            lambda rng: {**_inputs(rng, 2), "mask": np.zeros((1, 5), bool)},
            grad=GRAD,
            corner=True,
        ),
        Case(
            "a mask of numbers",
            lambda rng: {**_inputs(rng, queries=2, d_v=2), "mask": np.ones((2, 5))},
            raises="ValueError",
        ),
        Case(
            "a mask of bytes",
            lambda rng: {**_inputs(rng, queries=1, d_v=1), "mask": np.ones((1, 5), np.uint8)},
            raises="ValueError",
        ),
        Case("several batch axes", lambda rng: _inputs(rng, 2, 3), grad=GRAD, corner=True),
        Case("scores far apart", lambda rng: _inputs(rng, size=4.0), grad=GRAD, corner=True),
        Case("large scores", lambda rng: _inputs(rng, size=3e3)),
        Case(
            "in float32", lambda rng: {**_inputs(rng, 2), "mask": some(rng, 3, 5)}, dtype="float32"
        ),
        Case(
            "one query, two batch axes",
            lambda rng: {**_inputs(rng, 2, 13, queries=1), "mask": some(rng, 2, 13, 1, 5)},
            grad=GRAD,
            hidden=True,
            corner=True,
        ),
        Case("the lowest scores there are", lambda rng: _lowest(rng), corner=True),
        Case(
            "in float16, one mask for all queries",
            lambda rng: {**_positive(rng), "mask": some(rng, 5)},
            dtype="float16",
        ),
    ),
    hint="Your `masked_softmax`, then one matrix product. Return both results.",
    forbidden=READY_MADE,
    needs=("masked_softmax",),
    returns=("the context", "the weights"),
)


def _positive(rng):
    """Values of one sign: in float16 a sum that nearly cancels depends on its order."""
    inputs = _inputs(rng, 2)
    return {**inputs, "value": np.abs(inputs["value"])}


def _lowest(rng):
    """Allowed scores as low as floats go, masked ones near 0 or NaN."""
    scores = rng.standard_normal((2, 5))
    mask = np.array([[True, False, True, True, False], [False, True, False, False, False]])
    scores[mask] = np.finfo(float).min
    scores[0, 1] = np.nan
    return {"scores": scores, "mask": mask, "value": 10 * rng.standard_normal((5, 3))}
