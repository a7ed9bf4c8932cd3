"""`model_compression.quantize`: numbers become integers."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.model_compression import near_codes

EXERCISE = Exercise(
    title="Quantization by rounding",
    section="quantization",
    cases=(
        Case("4 bits", lambda rng: _given(rng, 4, 3, 5), 2),
        Case("8 bits", lambda rng: _given(rng, 8, 2, 7)),
        Case("a scale for each row", lambda rng: _rows(rng, 3)),
        Case("2 bits", lambda rng: _given(rng, 2, 11)),
        Case("beyond the range", lambda rng: _beyond(rng), 2, corner=False),
        Case("halves", lambda rng: _halves(rng), corner=True),
        Case("one number", lambda rng: _given(rng, 5, 1), corner=True),
        Case("in float32", lambda rng: _given(rng, 6, 5), dtype="float32"),
        Case("groups", lambda rng: _rows(rng, 4, 2), hidden=True),
    ),
    hint=(
        "Divide, round, clamp, then change the dtype: an int8 cannot hold what is beyond its range."
    ),
    forbidden=(
        "torch.quantize_per_tensor",
        "torch.quantize_per_channel",
        "torch.fake_quantize_per_tensor_affine",
        "torch.fake_quantize_per_channel_affine",
    ),
)


def _given(rng, bits, *shape):
    scale = rng.integers(5, 12) / 32
    return {
        "x": near_codes(rng, scale, 2 ** (bits - 1) - 1, *shape),
        "scale": np.array(scale),
        "bits": bits,
    }


def _rows(rng, bits, *lead):
    scale = rng.integers(5, 12, (*lead, 3, 1)) / 32
    x = near_codes(rng, scale, 2 ** (bits - 1) - 1, *lead, 3, 5)
    return {"x": x, "scale": scale, "bits": bits}


def _beyond(rng):
    x = rng.permutation(np.array([-300.0, -17, -8.25, -7, 2, 7, 8.25, 17, 130, 300]))
    return {"x": x * 0.5, "scale": np.array(0.5), "bits": 4}


def _halves(rng):
    x = rng.permutation(np.array([-3.5, -2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 3.5]))
    return {"x": x, "scale": np.array(1.0), "bits": 4}
