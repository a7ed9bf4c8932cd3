"""`contrastive.clip_loss`: find the partner, in both directions."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.contrastive import few, pairs

EXERCISE = Exercise(
    title="The loss of CLIP",
    section="two-encoders",
    tolerance=1e-8,
    cases=(
        Case("a batch", lambda rng: pairs(rng, 5, 3) | {"scale": 3.0}, 2, grad=("images", "texts")),
        Case(
            "a learned scale",
            lambda rng: pairs(rng, 3, 2) | {"scale": np.array(1.5)},
            2,
            grad=("scale",),
        ),
        Case("as many pairs as features", lambda rng: pairs(rng, 3, 3) | {"scale": 7.0}),
        Case("two pairs", lambda rng: pairs(rng, 2, 5) | {"scale": 0.5}),
        Case("a large scale", lambda rng: pairs(rng, 5, 2) | {"scale": 5000.0}, corner=True),
        Case("one pair", lambda rng: pairs(rng, 1, 3) | {"scale": 2.0}, corner=True),
        Case("in float32", lambda rng: pairs(rng, 5, 3) | {"scale": 2.0}, dtype="float32"),
        Case("on another device", lambda rng: pairs(rng, 3, 2) | {"scale": 2.0}, probe="elsewhere"),
        Case("seven pairs", lambda rng: _unlike(rng) | {"scale": 4.0}, hidden=True),
    ),
    hint=(
        "A matrix of scores, with the pairs on its diagonal; `F.cross_entropy` of it and of its "
        "transpose, with the same targets."
    ),
)


def _unlike(rng):
    return {"images": few(rng, 7, 3), "texts": 2 * few(rng, 7, 3)}
