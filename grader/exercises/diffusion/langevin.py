"""`diffusion.langevin`: uphill, with noise."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.diffusion import affine, few

EXERCISE = Exercise(
    title="Langevin dynamics",
    section="langevin-dynamics",
    tolerance=1e-9,
    cases=(
        Case("three steps", lambda rng: _walk(rng, 3, 5), 2, grad=("points",)),
        Case("one step", lambda rng: _walk(rng, 1, 3)),
        Case("a long step", lambda rng: _walk(rng, 2, 3, step=1.1)),
        Case("no steps", lambda rng: _walk(rng, 0, 3)),
        Case("two leading axes", lambda rng: _walk(rng, 2, 3, 2), corner=True),
        Case("a single point", lambda rng: _walk(rng, 2), corner=True),
        Case("one point", lambda rng: _walk(rng, 2, 1), corner=True),
        Case("in float32", lambda rng: _walk(rng, 3, 5, dtype=np.float32), dtype="float32"),
        Case("seven steps", lambda rng: _walk(rng, 7, 2), hidden=True),
    ),
    hint="Compute the score in each step, at the points where they are then.",
)


def _walk(rng, steps, *lead, step=0.125, dtype=np.float64):
    return {
        "points": few(rng, *lead, 3),
        "score": affine(rng, dtype=dtype),
        "step": step,
        "draws": few(rng, steps, *lead, 3),
    }
