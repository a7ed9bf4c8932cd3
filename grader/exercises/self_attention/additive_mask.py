"""`self_attention.additive_mask`: the same mask, to be added."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise

EXERCISE = Exercise(
    title="A mask to be added to the scores",
    section="masks",
    hint="Multiplying by infinity is a trap: 0 · ∞ is NaN. Fill or choose instead.",
    cases=(
        Case("a mask for each query", lambda rng: {"mask": rng.random((3, 5)) < 0.5}),
        Case("a padding mask", lambda rng: {"mask": np.arange(7) < np.array([[[3]], [[5]]])}),
        Case("a mask without axes", lambda rng: {"mask": np.array(False)}, corner=True),
        Case(
            "where the default float is float64",
            lambda rng: {"mask": rng.random((3, 5)) < 0.5},
            probe="defaults",
        ),
        Case(
            "on another device",
            lambda rng: {"mask": rng.random((3, 5)) < 0.5},
            probe="elsewhere",
        ),
        Case("everything allowed", lambda rng: {"mask": np.ones((2, 3), bool)}, hidden=True),
        Case(
            "nothing allowed",
            lambda rng: {"mask": np.zeros((2, 3), bool)},
            hidden=True,
            corner=True,
        ),
    ),
)
