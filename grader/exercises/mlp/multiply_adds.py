"""`mlp.multiply_adds`: what a pass costs."""

from __future__ import annotations

from grader.author.afresh import larger
from grader.author.exercise import Case, Exercise
from grader.exercises.mlp import SIZES, B, _count

EXERCISE = Exercise(
    title="Multiply-adds of a forward and a backward pass",
    section="mlp-cost",
    cases=(
        Case("one example", lambda rng: {"sizes": list(SIZES)}),
        Case("a batch", lambda rng: {"sizes": list(SIZES), "batch": B}, 2),
        Case("with the input's gradient", lambda rng: _count(rng, input_gradient=True), 2),
        Case("one layer", lambda rng: {"sizes": [7, 3], "batch": 5}, corner=True),
        Case("one layer, with the input's gradient", lambda rng: _single(), corner=True),
        Case("another network", lambda rng: _count(rng), hidden=True),
    ),
    hint=(
        "Forward, a layer is one product. Backward it is two, one for the weights and one for "
        "its input; is the gradient of the first layer's input needed?"
    ),
    returns=("the count of the forward pass", "the count of the backward pass"),
    afresh=larger("sizes", "batch"),
)


def _single():
    return {"sizes": [7, 3], "batch": 5, "input_gradient": True}
