"""`model_compression.affine_range`: codes for a range that is not symmetric."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise

EXERCISE = Exercise(
    title="Scale and zero point",
    section="asymmetric",
    returns=("the scale", "the zero point"),
    cases=(
        Case("more above 0 than below", lambda rng: _between(rng, -31, 100, 4), 2),
        Case("8 bits", lambda rng: _between(rng, -171, 90, 8, 3, 5)),
        Case("above 0 alone", lambda rng: _between(rng, 41, 200, 4), 2, corner=False),
        Case("below 0 alone", lambda rng: _between(rng, -201, -60, 5), corner=False),
        Case(
            "zeros alone",
            lambda rng: {
                "calls": [{"x": np.zeros(3), "bits": 4}, _between(rng, -31, 80, 4)],
            },
            probe="calls",
        ),
        Case("one number", lambda rng: _between(rng, 40, 40, 3, count=1), corner=True),
        Case("in float16", lambda rng: _between(rng, -61, 90, 8), dtype="float16"),
        Case("2 bits", lambda rng: _between(rng, -51, 90, 2), hidden=True),
    ),
    hint="First widen the range to contain 0. Then the zero point is between 0 and 2^b − 1.",
    forbidden=("torch.quantize_per_tensor",),
)


def _between(rng, low, high, bits, *shape, count=7):
    """Multiples of 1/64; the ends move by an even number, so that −low / scale is no half."""
    low, high = low + 2 * rng.integers(-4, 5), high + 2 * rng.integers(-4, 5)
    if count == 1:
        return {"x": np.array([high / 64]), "bits": bits}
    x = rng.integers(low, high + 1, shape or (count,))
    x.flat[1], x.flat[2] = low, high
    return {"x": x / 64, "bits": bits}
