"""`diffusion.posterior`: between a noisy example and the clean one."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.diffusion import between, few, step

EXERCISE = Exercise(
    title="The posterior of a less noisy example",
    section="reverse-process",
    tolerance=1e-8,
    returns=("the mean", "the variance"),
    cases=(
        Case("a step", lambda rng: _given(rng, 3, 2), 2, grad=("noisy", "clean")),
        Case("pictures", lambda rng: _given(rng, 2, 1, 2, 3), 2),
        Case("on a straight path", lambda rng: _flow(rng)),
        Case("from pure noise", lambda rng: _given(rng, 3, 2, now=[0.0, 1.0])),
        Case("to the clean example", lambda rng: _given(rng, 3, 2, then=[1.0, 0.0]), corner=True),
        Case("one example", lambda rng: _given(rng, 1, 3), corner=True),
        Case("in float32", lambda rng: _given(rng, 3, 2), dtype="float32"),
        Case("a single vector", lambda rng: _given(rng, 5), hidden=True),
    ),
    hint="Compute α and σ² from the two levels alone; then insert them, and mind the squares.",
)


def _given(rng, *shape, **levels):
    return {
        "noisy": few(rng, *shape),
        "clean": few(rng, *shape),
        **step(rng),
        **{name: np.array(level) for name, level in levels.items()},
    }


def _flow(rng):
    """Levels whose signal and noise sum to 1."""
    now, then = between(rng, 0.625, 0.875), between(rng, 0.25, 0.5)
    return _given(rng, 3, 2, now=[1 - now, now], then=[1 - then, then])
