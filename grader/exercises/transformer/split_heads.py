"""`transformer.split_heads`: features to heads."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise


def _given(rng, *batch, heads=3, length=7, d_k=5):
    x = rng.standard_normal((*batch, length, heads * d_k))
    return {"x": np.round(256 * x) / 256, "num_heads": heads}  # few bits compress well


EXERCISE = Exercise(
    title="Splitting features into heads",
    section="heads",
    cases=(
        Case("a batch", lambda rng: _given(rng, 2), 2, grad=("x",)),
        Case("no batch", lambda rng: _given(rng), grad=("x",), corner=True),
        Case("two batch axes", lambda rng: _given(rng, 2, 11), grad=("x",), corner=True),
        Case("as many heads as positions", lambda rng: _given(rng, 2, heads=7), grad=("x",)),
        Case("as many features as positions", lambda rng: _given(rng, 2, length=15)),
        Case("one head", lambda rng: _given(rng, 2, heads=1), grad=("x",), corner=True),
        Case(
            "features that cannot be shared",
            lambda rng: {"x": rng.standard_normal((2, 7, 15)), "num_heads": 4},
            raises="ValueError",
        ),
        Case("in float32", lambda rng: _given(rng, 2), dtype="float32"),
        Case(
            "one feature a head",
            lambda rng: _given(rng, 2, d_k=1),
            grad=("x",),
            hidden=True,
            corner=True,
        ),
        Case(
            "no positions",
            lambda rng: {"x": np.zeros((2, 0, 15)), "num_heads": 3},
            hidden=True,
        ),
    ),
    tolerance=1e-9,
    hint=(
        "First split the feature axis into two, (heads, d_k), in this order; then swap the head "
        "axis and the position axis."
    ),
)
