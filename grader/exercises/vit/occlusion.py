"""`vit.occlusion`: what an answer depends on, patch by patch."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise, Made

EXERCISE = Exercise(
    title="Occlusion maps",
    section="attention-rollout",
    cases=(
        Case("a batch in colour", lambda rng: _given(rng, 5, 3, 4, 6), 2),
        Case(
            "one channel, large patches", lambda rng: _given(rng, 3, 1, 5, 15, size=5), corner=True
        ),
        Case("painting helps", lambda rng: _unsure(rng)),
        Case("a picture of what is painted", lambda rng: _painted(rng)),
        Case("logits of thousands", lambda rng: _sharp(rng), corner=True),
        Case("one image", lambda rng: _given(rng, 1, 2, 6, 4), corner=True),
        Case("in float32", lambda rng: _given(rng, 5, 3, 4, 6), dtype="float32"),
        Case("one patch", lambda rng: _given(rng, 3, 2, 3, 3, size=3), hidden=True),
        Case("patches of one pixel", lambda rng: _given(rng, 2, 1, 3, 5, size=1), hidden=True),
    ),
    hint=(
        "Note the largest class of the whole image, and its probability. For each patch begin with "
        "a fresh copy of the image, and look at the same class again."
    ),
    needs=("patches", "join_patches"),
)


def _given(rng, count, channels, height, width, size=2, spread=1.0):
    entries = channels * height * width
    return {
        "model": Made("pixels", {"weight": spread * rng.standard_normal((7, entries))}),
        "images": rng.standard_normal((count, channels, height, width)),
        "paint": rng.standard_normal((channels, height, width)),
        "size": size,
    }


def _unsure(rng):
    """Two classes nearly alike: painting makes the model more confident, or changes its answer."""
    return _given(rng, 7, 2, 4, 6, spread=0.2)


def _sharp(rng):
    """Two classes whose logits are thousands and differ by little: their exponentials overflow."""
    given = _given(rng, 3, 1, 4, 2)
    weight = np.abs(given["model"].given["weight"][:2])
    weight[1] = weight[0] + 1e-3 * rng.standard_normal(8)
    images = 900 + rng.random((3, 1, 4, 2))
    return given | {"model": Made("pixels", {"weight": weight}), "images": images}


def _painted(rng):
    """The first image is the paint itself: nothing falls."""
    given = _given(rng, 3, 2, 4, 6)
    given["images"][0] = given["paint"]
    return given | {"images": np.ascontiguousarray(given["images"])}
