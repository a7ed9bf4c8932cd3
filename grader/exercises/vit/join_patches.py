"""`vit.join_patches`: patches as an image again."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise

EXERCISE = Exercise(
    title="Joining patches into an image",
    section="patches-of-an-image",
    cases=(
        Case("a batch in colour", lambda rng: _vectors(rng, 2, 3, 2, 5), 2, grad=("vectors",)),
        Case(
            "numbered pixels",
            lambda rng: {
                "vectors": np.arange(24).reshape(1, 6, 4),
                "size": 2,
                "channels": 1,
                "width": 6,
            },
        ),
        Case(
            "one row of patches",
            lambda rng: _vectors(rng, 1, 2, 1, 7),
            grad=("vectors",),
            corner=True,
        ),
        Case("one column of patches", lambda rng: _vectors(rng, 2, 3, 5, 1), corner=True),
        Case("in float16", lambda rng: _vectors(rng, 2, 3, 2, 5), dtype="float16"),
        Case("one patch", lambda rng: _vectors(rng, 3, 2, 1, 1, size=5), hidden=True),
        Case("patches of one pixel", lambda rng: _vectors(rng, 2, 3, 5, 7, size=1), hidden=True),
    ),
    tolerance=1e-9,
    hint="Go the way of `patches` backwards: the same six axes, back in their first order.",
    forbidden=("F.fold", "nn.Fold", "F.pixel_shuffle", "nn.PixelShuffle"),
)


def _vectors(rng, count, channels, down, across, size=3):
    vectors = rng.standard_normal((count, down * across, channels * size * size))
    return {"vectors": vectors, "size": size, "channels": channels, "width": across * size}
