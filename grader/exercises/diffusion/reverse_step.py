"""`diffusion.reverse_step`: DDPM, DDIM and Euler's step."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.diffusion import between, few, step

EXERCISE = Exercise(
    title="One step back",
    section="reverse-process",
    tolerance=1e-8,
    needs=("posterior",),
    cases=(
        Case("DDIM", lambda rng: _given(rng, 3, 2), 2, grad=("noisy", "clean")),
        Case("DDPM", lambda rng: _drawn(rng, 3, 2, eta=1.0), 2, grad=("noisy", "clean")),
        Case("half of it fresh", lambda rng: _drawn(rng, 3, 2, eta=0.5), 2),
        Case("Euler's step", lambda rng: _flow(rng)),
        Case("draws that nobody asked for", lambda rng: _drawn(rng, 3, 2, eta=0.0)),
        Case("from pure noise", lambda rng: _drawn(rng, 3, 2, eta=0.75, now=[0.0, 1.0])),
        Case(
            "to half the signal, without noise",
            lambda rng: _drawn(rng, 3, 2, eta=1.0, then=[0.5, 0.0]),
            corner=True,
        ),
        Case(
            "fresh noise without draws",
            lambda rng: _given(rng, 3, 2) | {"eta": 0.5},
            raises="ValueError",
        ),
        Case("one picture", lambda rng: _drawn(rng, 1, 2, 3, eta=0.25), corner=True),
        Case(
            "to hardly any noise, in float32",
            lambda rng: _drawn(rng, 3, 2, eta=1.0, now=[0.1389, 0.8611], then=[0.99999, 1.48e-5]),
            dtype="float32",
        ),
        Case("a little fresh", lambda rng: _drawn(rng, 5, eta=0.25), hidden=True),
    ),
    hint=(
        "The variances of old and fresh noise sum to s_r²: subtract the fresh one from s_r², then "
        "take the root."
    ),
)


def _given(rng, *shape, **levels):
    return {
        "noisy": few(rng, *shape),
        "clean": few(rng, *shape),
        **step(rng),
        **{name: np.array(level) for name, level in levels.items()},
    }


def _drawn(rng, *shape, eta, **levels):
    return _given(rng, *shape, **levels) | {"eta": eta, "draws": few(rng, *shape)}


def _flow(rng):
    """Levels whose signal and noise sum to 1."""
    now, then = between(rng, 0.625, 0.875), between(rng, 0.25, 0.5)
    return _given(rng, 3, 2, now=[1 - now, now], then=[1 - then, then])
