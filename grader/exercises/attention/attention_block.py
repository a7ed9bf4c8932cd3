"""`attention.attention_block`: attention with one query and no parameters."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise
from grader.exercises.attention import READY_MADE

GRAD = ("h", "x")


def _inputs(rng, *batch, length=5, features=7, size=1.0):
    return {
        "h": size * rng.standard_normal((*batch, features)),
        "x": rng.standard_normal((*batch, length, features)),
    }


EXERCISE = Exercise(
    title="Attention in one function",
    section="attention-block",
    cases=(
        Case("one sequence", _inputs, grad=GRAD),
        Case("a batch", lambda rng: _inputs(rng, 3), 2, grad=GRAD),
        Case("as long as the batch is large", lambda rng: _inputs(rng, 5), grad=GRAD, corner=True),
        Case("as long as wide", lambda rng: _inputs(rng, 2, length=7), grad=GRAD),
        Case("several batch axes", lambda rng: _inputs(rng, 2, 3), grad=GRAD, corner=True),
        Case("one position", lambda rng: _inputs(rng, 2, length=1), grad=GRAD, corner=True),
        Case("a batch of one", lambda rng: _inputs(rng, 1), grad=GRAD, corner=True),
        Case("a long query", lambda rng: _inputs(rng, 2, size=500.0), 2),
        Case("in float32", lambda rng: _inputs(rng, 3), dtype="float32"),
        Case(
            "two batch axes",
            lambda rng: _inputs(rng, 3, 2, length=11),
            grad=GRAD,
            hidden=True,
            corner=True,
        ),
    ),
    hint=(
        "Two matrix products with a softmax between them. `h[..., None]` adds the axis that a "
        "matrix product needs, and `[..., 0]` removes it."
    ),
    forbidden=READY_MADE,
    returns=("c", "p"),
)
