"""`diffusion.add_noise`: a level for each example."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.diffusion import few, levels_of

EXERCISE = Exercise(
    title="Adding noise",
    section="forward-process",
    tolerance=1e-10,
    cases=(
        Case("points", lambda rng: _batch(rng, 5, 3), 2, grad=("clean", "draws")),
        Case("pictures", lambda rng: _batch(rng, 3, 1, 2, 5)),
        Case("as many examples as features", lambda rng: _batch(rng, 2, 2)),
        Case("one level for all, the signal whole", lambda rng: _whole(rng)),
        Case("one number each", lambda rng: _batch(rng, 5), corner=True),
        Case("one example", lambda rng: _batch(rng, 1, 3), corner=True),
        Case("in float32", lambda rng: _batch(rng, 5, 3), dtype="float32"),
        Case("sequences", lambda rng: _batch(rng, 2, 3, 2), hidden=True),
        Case("one level for all pictures", lambda rng: _alike(rng, 2, 1, 2, 3), hidden=True),
    ),
    hint=(
        "`spread` gives signal and noise the axes that they lack. Without it, (B,) is broadcast "
        "along the last axis."
    ),
)


def _batch(rng, *shape):
    return {
        "clean": few(rng, *shape),
        "draws": few(rng, *shape),
        "levels": levels_of(rng, shape[0]),
    }


def _whole(rng):
    """Noise without less signal, a level that no table has."""
    return _batch(rng, 3, 2) | {"levels": np.array([1.0, 0.7])}


def _alike(rng, *shape):
    return _batch(rng, *shape) | {"levels": levels_of(rng)}
