"""`attention.general_score`: queries and keys that meet in a matrix."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise
from grader.exercises.attention import READY_MADE, WHOLE, queries_and_keys

GRAD = (*WHOLE, "weight")


def _inputs(rng, *batch, d_q=7, d_k=11, **sizes):
    made = queries_and_keys(rng, *batch, d_q=d_q, d_k=d_k, **sizes)
    return {**made, "weight": rng.standard_normal((d_q, d_k))}


EXERCISE = Exercise(
    title="The general (bilinear) score",
    section="general-score",
    cases=(
        Case("two sizes", _inputs, grad=GRAD),
        Case("a batch", lambda rng: _inputs(rng, 2), grad=GRAD),
        Case("one size", lambda rng: _inputs(rng, 2, d_q=11), 2, grad=GRAD),
        Case("two batch axes", lambda rng: _inputs(rng, 2, 13), grad=GRAD, corner=True),
        Case("in float32", lambda rng: _inputs(rng, 2), dtype="float32"),
        Case(
            "one key",
            lambda rng: _inputs(rng, keys=1, d_q=5, d_k=5),
            grad=GRAD,
            hidden=True,
            corner=True,
        ),
        Case("far-out numbers", lambda rng: _far(rng), corner=True),
    ),
    hint="Project one side into the space of the other; what is left is a dot product.",
    forbidden=READY_MADE,
    needs=("dot_score",),
)


def _far(rng):
    """Far beyond what is commonly clamped."""
    drawn = _inputs(rng, 2)
    return {**drawn, "key": 1e12 * drawn["key"]}
