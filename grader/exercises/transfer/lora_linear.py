"""`transfer.lora_linear`: an update of low rank, in one line."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise

EXERCISE = Exercise(
    title="LoRA: a low-rank update of a linear layer",
    section="low-rank-updates",
    cases=(
        Case("a batch", lambda rng: _given(rng, 5, 2), 2, grad=("x", "A", "B")),
        Case("rank 1", lambda rng: _given(rng, 3, rank=1, alpha=2.0), grad=("x", "A", "B")),
        Case("a large rank", lambda rng: _given(rng, 2, rank=11, alpha=0.5), corner=True),
        Case("large inputs", lambda rng: _large(rng), grad=("x", "A", "B")),
        Case("one vector, no update", lambda rng: _given(rng, alpha=0.0), corner=True),
        Case("square", lambda rng: _given(rng, 4, outputs=5, inputs=5, rank=5)),
        Case("in float32", lambda rng: _given(rng, 5), dtype="float32"),
        Case(
            "no large matrix",
            lambda rng: _given(rng, 3, outputs=61, inputs=59, rank=2),
            grad=("A", "B"),
            most={"largest": 61 * 59, "multiply_adds": 3 * (61 * 59 + 2 * 120) + 4 * 3 * 2 * 120},
            corner=False,
        ),
        Case("another size", lambda rng: _given(rng, 2, 1, outputs=13, inputs=17), hidden=True),
    ),
    hint="First down to r features, then up. r is the number of rows of A.",
)


def _given(rng, *batch, outputs=7, inputs=5, rank=3, alpha=4.0):
    shapes = {
        "x": (*batch, inputs),
        "weight": (outputs, inputs),
        "A": (rank, inputs),
        "B": (outputs, rank),
    }
    made = {  # few bits, which compress well
        name: np.round(256 * rng.standard_normal(shape)) / 256 for name, shape in shapes.items()
    }
    return {**made, "alpha": alpha}


def _large(rng):
    given = _given(rng, 5)
    return given | {"x": 500 * given["x"]}
