"""`model_compression.gptq`: columns in turn, each making up for those before it."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.model_compression import few, odd

EXERCISE = Exercise(
    title="GPTQ",
    section="second-order",
    cases=(
        Case("correlated inputs", lambda rng: _given(rng, 3), 3),
        Case("2 bits", lambda rng: _given(rng, 2, outputs=5, inputs=5), 2),
        Case("4 bits", lambda rng: _given(rng, 4), 2),
        Case("more damping", lambda rng: _damped(rng), 2),
        Case("fewer examples than inputs", lambda rng: _given(rng, 3, examples=3)),
        Case("one scale for all, too small for some", lambda rng: _clipped(rng), corner=True),
        Case("one output", lambda rng: _given(rng, 3, outputs=1, inputs=5), corner=True),
        Case("one input", lambda rng: _given(rng, 3, inputs=1, examples=3), corner=True),
        Case("in float32", lambda rng: _given(rng, 4, inputs=5), dtype="float32"),
        Case("an input that is never on", lambda rng: _never(rng), corner=True),
        Case("another size", lambda rng: _given(rng, 3, outputs=7, inputs=5), hidden=True),
    ),
    hint=(
        "Work on a clone. Round a column as the earlier ones have left it; only columns after it "
        "change. The scale stays as given."
    ),
)


def _given(rng, bits, *, outputs=3, inputs=7, examples=11, scales=None):
    """Inputs that share a part, so that a column can make up for another."""
    shared = few(rng, examples, 1)
    weight = odd(rng, outputs, inputs)
    largest = np.abs(weight).max() if scales else np.abs(weight).max(axis=1, keepdims=True)
    return {
        "weight": weight,
        "inputs": shared + few(rng, examples, inputs) / 2,
        "scale": np.asarray(np.ceil(32 * largest) / 32 / (2 ** (bits - 1) - 1)),
        "bits": bits,
    }


def _clipped(rng):
    """Numbers beyond the range on both sides, with columns after them; the last is far beyond."""
    given = _given(rng, 3, scales=1, inputs=5)
    given["weight"][[0, 1, 2], [0, 1, 4]] = given["scale"] * [-5.25, 5.25, 200]
    return given


def _never(rng):
    given = _given(rng, 3, inputs=5)
    given["inputs"][:, 2] = 0
    return given


def _damped(rng):
    """Small inputs: damping that is not relative to them is far too much."""
    given = _given(rng, 5, outputs=5)
    return given | {"inputs": given["inputs"] / 32, "damping": 0.5}
