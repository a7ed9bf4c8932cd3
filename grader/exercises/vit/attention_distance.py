"""`vit.attention_distance`: how far a head looks."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise

EXERCISE = Exercise(
    title="Attention distance",
    section="what-heads-see",
    cases=(
        Case(
            "heads of a batch", lambda rng: _given(rng, 2, 3, rows=2, width=5), 2, grad=("weights",)
        ),
        Case("one map", lambda rng: _given(rng, rows=3, width=4), grad=("weights",)),
        Case(
            "a batch of one",
            lambda rng: _given(rng, 1, rows=2, width=3),
            grad=("weights",),
            corner=True,
        ),
        Case("only itself", lambda rng: {"weights": np.eye(7), "width": 3}),
        Case("the row below", lambda rng: _below()),
        Case("much to the token", lambda rng: _given(rng, 2, rows=2, width=3, token=45.0)),
        Case("in float32", lambda rng: _given(rng, 2, 3, rows=2, width=5), dtype="float32"),
        Case("on another device", lambda rng: _given(rng, rows=1, width=2), probe="elsewhere"),
        Case("one row", lambda rng: _given(rng, 2, rows=1, width=7), hidden=True, corner=True),
        Case("one column", lambda rng: _given(rng, 3, rows=5, width=1), hidden=True),
    ),
    tolerance=1e-8,
    hint=(
        "Row and column of patch n are n // width and n % width. A table of all distances, "
        "weighted by the attention, summed over keys."
    ),
)


def _given(rng, *batch, rows, width, token=0.0):
    scores = rng.standard_normal((*batch, 1 + rows * width, 1 + rows * width))
    scores[..., 0] += token
    weights = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
    return {"weights": weights, "width": width}


def _below():
    """Patches of 2 rows of 3 look at the other row; the token at the last patch."""
    weights = np.zeros((7, 7))
    weights[np.arange(7), [6, 4, 5, 6, 1, 2, 3]] = 1
    return {"weights": weights, "width": 3}
