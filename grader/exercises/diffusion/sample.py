"""`diffusion.sample`: all steps, from noise to an example."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.diffusion import affine, few

EXERCISE = Exercise(
    title="The sampling loop",
    section="reverse-process",
    tolerance=1e-9,
    needs=("reverse_step", "posterior"),
    cases=(
        Case("DDIM", lambda rng: _given(rng, 3, 2), 2, grad=("start",)),
        Case("DDPM", lambda rng: _drawn(rng, 3, 2, eta=1.0), 2),
        Case("in between", lambda rng: _drawn(rng, 4, 2, eta=0.5)),
        Case("from pure noise", lambda rng: _drawn(rng, 2, 2, eta=0.5, signal=0.0)),
        Case("one step", lambda rng: _given(rng, 1, 3)),
        Case("draws that nobody asked for", lambda rng: _unasked(rng)),
        Case("two leading axes", lambda rng: _nested(rng), corner=True),
        Case("one example", lambda rng: _drawn(rng, 2, 1, eta=0.5), corner=True),
        Case(
            "in float32",
            lambda rng: _drawn(rng, 3, 2, eta=0.5, dtype=np.float32),
            dtype="float32",
        ),
        Case("five steps", lambda rng: _drawn(rng, 5, 2, eta=0.25), hidden=True),
    ),
    hint=(
        "From the last row to row 0: call the denoiser of the row where x is, then step to the row "
        "before."
    ),
)


def _given(rng, steps, count, signal=0.125, dtype=np.float64):
    """Levels on neither a circle nor a line, in unequal steps."""
    falls = np.sort(rng.permutation(np.arange(1, 16))[: steps - 1]) / 16
    rises = np.sort(rng.permutation(np.arange(1, 16))[: steps - 1]) / 16
    signals = np.concatenate([[1.0], 1 - (1 - signal) * falls, [signal]])
    return {
        "denoisers": [affine(rng, 2, dtype) for _ in range(steps + 1)],
        "start": few(rng, count, 2),
        "table": np.stack([signals, np.concatenate([[0.0], rises, [1.2]])], axis=1),
    }


def _drawn(rng, steps, count, *, eta, **given):
    draws = few(rng, steps, count, 2)
    return _given(rng, steps, count, **given) | {"eta": eta, "draws": draws}


def _nested(rng):
    given = _drawn(rng, 1, 4, eta=0.5)
    shape = (2, 2, 2)
    return given | {
        "start": given["start"].reshape(shape),
        "draws": given["draws"].reshape((1, *shape)),
    }


def _unasked(rng):
    """The first denoiser would fail, but is not called."""
    given = _drawn(rng, 3, 2, eta=0.0)
    return given | {"denoisers": [affine(rng, 3), *given["denoisers"][1:]]}
