"""`transformer.merge_heads`: heads to features."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise


def _given(rng, *batch, heads=3, length=7, d_v=5):
    x = rng.standard_normal((*batch, heads, length, d_v))
    return {"x": np.round(256 * x) / 256}  # few bits compress well


EXERCISE = Exercise(
    title="Merging heads into features",
    section="heads",
    cases=(
        Case("a batch", lambda rng: _given(rng, 2), 2, grad=("x",)),
        Case("a batch of one", lambda rng: _given(rng, 1), grad=("x",), corner=True),
        Case("no batch", lambda rng: _given(rng), grad=("x",), corner=True),
        Case("two batch axes", lambda rng: _given(rng, 2, 11), grad=("x",), corner=True),
        Case("as many heads as positions", lambda rng: _given(rng, 2, heads=7), grad=("x",)),
        Case("one head", lambda rng: _given(rng, 2, heads=1), corner=True),
        Case("in float32", lambda rng: _given(rng, 2), dtype="float32"),
        Case(
            "one feature a head",
            lambda rng: _given(rng, 2, d_v=1),
            grad=("x",),
            hidden=True,
            corner=True,
        ),
    ),
    tolerance=1e-9,
    hint="Undo the two steps of `split_heads` in reverse order.",
    needs=("split_heads",),
)
