"""`mlp.memory_bytes`: what a step remembers."""

from __future__ import annotations

from grader.author.afresh import larger
from grader.author.exercise import Case, Exercise
from grader.exercises.mlp import SIZES, B, _count

EXERCISE = Exercise(
    title="Memory of a training step",
    section="mlp-cost",
    cases=(
        Case("one example", lambda rng: {"sizes": list(SIZES)}),
        Case("a batch", lambda rng: {"sizes": list(SIZES), "batch": B}, 2),
        Case(
            "float64", lambda rng: {"sizes": list(SIZES), "batch": B, "itemsize": 8}, 2, corner=True
        ),
        Case("one layer", lambda rng: {"sizes": [7, 3], "batch": 5}, corner=True),
        Case("bfloat16, a large batch", lambda rng: _bytes(rng), hidden=True, corner=True),
        Case("layers of 100,000", lambda rng: {"sizes": [100_000] * 3, "batch": 7}, corner=True),
    ),
    hint=(
        "A layer has (d_{l−1} + 1) d_l parameters, whatever the batch. The cache holds the input "
        "of every layer, with one row per example."
    ),
    afresh=larger("sizes", "batch"),
)


def _bytes(rng):
    return {"sizes": _count(rng)["sizes"], "batch": 1009, "itemsize": 2}
