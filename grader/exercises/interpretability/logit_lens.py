"""`interpretability.logit_lens`: the output layer at every depth."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise, Made
from grader.exercises.interpretability import few

EXERCISE = Exercise(
    title="The logit lens",
    section="logit-lens",
    tolerance=1e-9,
    cases=(
        Case("three depths", lambda rng: _given(rng, 3, 2, 5), 3),
        Case("one vector", lambda rng: _given(rng, 2), corner=True),
        Case("one depth", lambda rng: _given(rng, 1, 2), corner=True),
        Case("in float32", lambda rng: _given(rng, 2, 3, dtype=np.float32), dtype="float32"),
        Case("five depths", lambda rng: _given(rng, 5, 3), hidden=True),
    ),
    hint="`head(norm(stream))` for every stream, stacked along a new first axis.",
)


def _given(rng, depths, *lead, dtype=np.float64):
    return {
        "streams": [few(rng, *lead, 3) for _ in range(depths)],
        "norm": _layer(rng, 3, 3, dtype),
        "head": _layer(rng, 7, 3, dtype),
    }


def _layer(rng, outputs, inputs, dtype):
    """A linear layer in the place of either; what is made keeps its dtype."""
    weight, bias = few(rng, outputs, inputs), few(rng, outputs)
    return Made("affine", {"weight": weight.astype(dtype), "bias": bias.astype(dtype)})
