"""`vit.rollout`: attention through all layers."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise

EXERCISE = Exercise(
    title="Attention rollout",
    section="attention-rollout",
    cases=(
        Case("three layers", lambda rng: _given(rng, 3, 2, 5), 2, grad=("weights",)),
        Case("a batch", lambda rng: _given(rng, 2, 3, 2, 5), grad=("weights",)),
        Case("a batch of one, of two", lambda rng: _given(rng, 2, 1, 2, 2, 3), corner=True),
        Case("one layer", lambda rng: _given(rng, 1, 3, 4), grad=("weights",), corner=True),
        Case("a path through two layers", lambda rng: _path()),
        Case("in float32", lambda rng: _given(rng, 3, 2, 5), dtype="float32"),
        Case("on another device", lambda rng: _given(rng, 3, 2, 5), probe="elsewhere"),
        Case("one head", lambda rng: _given(rng, 4, 1, 3), hidden=True, corner=True),
        Case("two batch axes", lambda rng: _given(rng, 2, 3, 2, 2, 5), hidden=True, corner=True),
    ),
    tolerance=1e-9,
    hint="Average the heads, mix with the identity, and multiply: which layer is applied last?",
)


def _given(rng, *shape):
    scores = 2 * rng.standard_normal((*shape, shape[-1]))
    return {"weights": np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)}


def _path():
    """First the second position looks at the third, then the first at the second."""
    weights = np.tile(np.eye(3), (2, 1, 1, 1))
    weights[0, 0, 1] = [0, 0, 1]
    weights[1, 0, 0] = [0, 1, 0]
    return {"weights": weights}
