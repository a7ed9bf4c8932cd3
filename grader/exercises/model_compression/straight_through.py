"""`model_compression.straight_through`: rounding with a gradient."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.model_compression import few, near_codes

EXERCISE = Exercise(
    title="The straight-through estimator",
    section="straight-through",
    cases=(
        Case("inside the range", lambda rng: _given(rng, 4, 2, 5), 2, grad=("x",)),
        Case("beyond the range", lambda rng: _beyond(rng), 2, grad=("x",)),
        Case("a scale for each row", lambda rng: _rows(rng), grad=("x",)),
        Case("the end of the range", lambda rng: _ends(), grad=("x",), corner=True),
        Case(
            "a scale with a gradient",
            lambda rng: _given(rng, 3, 3),
            grad=("x", "scale"),
            corner=True,
        ),
        Case("one number", lambda rng: _given(rng, 3, 1), grad=("x",), corner=True),
        Case("in float32", lambda rng: _given(rng, 8, 5), grad=("x",), dtype="float32"),
        Case("2 bits", lambda rng: _given(rng, 2, 5), grad=("x",), hidden=True),
    ),
    hint=(
        "`detach` hides a value from autograd: `x - x.detach()` is 0 and has the gradient 1. Or "
        "write a `torch.autograd.Function`."
    ),
    forbidden=(
        "torch.fake_quantize_per_tensor_affine",
        "torch.fake_quantize_per_channel_affine",
    ),
)


def _given(rng, bits, *shape):
    scale = rng.integers(5, 12) / 32
    limit = 2 ** (bits - 1) - 1
    return {
        "x": near_codes(rng, scale, limit - 1, *shape) + scale / 64,  # never at the end
        "scale": np.array(scale),
        "bits": bits,
    }


def _beyond(rng):
    x = rng.permutation(np.array([-9.0, -2.25, -1.25, 0.25, 0.75, 1.25, 1.75, 3]))
    return {"x": x + few(rng, 8) / 64, "scale": np.array(0.5), "bits": 3}


def _ends():
    """At the ends, just and far beyond them, and halfway between two codes."""
    x = np.array([-1.5, 1.5, 1.53125, 0.25, -65, 2.0**60])
    return {"x": x, "scale": np.array(0.5), "bits": 3}


def _rows(rng):
    scale = rng.integers(5, 12, (3, 1)) / 32
    return {"x": near_codes(rng, scale, 5, 3, 5) + scale / 64, "scale": scale, "bits": 3}
