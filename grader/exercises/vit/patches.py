"""`vit.patches`: an image as a sequence of vectors."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise

EXERCISE = Exercise(
    title="Cutting an image into patches",
    section="patches-of-an-image",
    cases=(
        Case("a batch in colour", lambda rng: _images(rng, 2, 3, 6, 9), 2, grad=("images",)),
        Case(
            "numbered pixels", lambda rng: {"images": np.arange(24).reshape(1, 1, 4, 6), "size": 2}
        ),
        Case(
            "large patches",
            lambda rng: _images(rng, 2, 2, 10, 5, size=5),
            grad=("images",),
            corner=True,
        ),
        Case("patches of one pixel", lambda rng: _images(rng, 2, 3, 2, 5, size=1)),
        Case("in float16", lambda rng: _images(rng, 2, 3, 6, 6), dtype="float16"),
        Case(
            "a height that is no multiple",
            lambda rng: _images(rng, 1, 2, 7, 9),
            raises="ValueError",
        ),
        Case(
            "a patch beyond the image",
            lambda rng: _images(rng, 1, 2, 3, 3, size=5),
            raises="ValueError",
        ),
        Case(
            "a width that is no multiple",
            lambda rng: _images(rng, 1, 2, 9, 7),
            raises="ValueError",
        ),
        Case("one patch", lambda rng: _images(rng, 3, 2, 3, 3), grad=("images",), hidden=True),
        Case("a wide image", lambda rng: _images(rng, 1, 5, 2, 14, size=2), hidden=True),
    ),
    tolerance=1e-9,
    hint=(
        "Split each of the two axes of pixels in two with `reshape`: which patch, and where in it. "
        "Then bring the axes into order before you join any."
    ),
    forbidden=("F.unfold", "nn.Unfold", "F.pixel_unshuffle", "nn.PixelUnshuffle"),
)


def _images(rng, *shape, size=3):
    return {"images": rng.standard_normal(shape), "size": size}
