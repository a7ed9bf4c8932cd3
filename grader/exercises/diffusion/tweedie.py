"""`diffusion.tweedie`: the score says where the clean example is expected."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.diffusion import few, levels_of

EXERCISE = Exercise(
    title="Tweedie's formula",
    section="denoising-score",
    tolerance=1e-9,
    cases=(
        Case("points", lambda rng: _batch(rng, 5, 3), 2, grad=("noisy", "score")),
        Case("pictures", lambda rng: _batch(rng, 2, 1, 2, 3)),
        Case("as many examples as features", lambda rng: _batch(rng, 3, 3)),
        Case("one level for all", lambda rng: _batch(rng, 3, 2) | {"levels": levels_of(rng)}),
        Case("one number each", lambda rng: _batch(rng, 5), corner=True),
        Case("hardly any signal", lambda rng: _faint(rng), corner=True),
        Case("one example", lambda rng: _batch(rng, 1, 3), corner=True),
        Case("in float32", lambda rng: _batch(rng, 5, 3), dtype="float32"),
        Case("sequences", lambda rng: _batch(rng, 2, 3, 2), hidden=True),
    ),
    hint="First the noise: a step of s² along the score. Then undo the signal.",
)


def _batch(rng, *shape):
    return {
        "noisy": few(rng, *shape),
        "score": few(rng, *shape),
        "levels": levels_of(rng, shape[0]),
    }


def _faint(rng):
    return _batch(rng, 3, 2) | {"levels": np.array([1e-3, 1.0])}
