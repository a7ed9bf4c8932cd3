"""`vit.resize_positions`: positions for another grid."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise

EXERCISE = Exercise(
    title="Resizing position embeddings",
    section="other-sizes",
    cases=(
        Case("a finer grid", lambda rng: _given(rng, (3, 3), (7, 7)), 2, grad=("positions",)),
        Case("not square", lambda rng: _given(rng, (2, 5), (5, 3)), grad=("positions",)),
        Case("a coarser grid", lambda rng: _given(rng, (5, 7), (2, 3)), grad=("positions",)),
        Case("the same grid", lambda rng: _given(rng, (3, 5), (3, 5)), grad=("positions",)),
        Case("one feature", lambda rng: _given(rng, (2, 3), (3, 2), width=1), corner=True),
        Case("a ramp", lambda rng: _ramp(), grad=("positions",)),
        Case("wider, in float32", lambda rng: _given(rng, (3, 3), (3, 5)), dtype="float32"),
        Case("the same area", lambda rng: _given(rng, (2, 6), (3, 4))),
        Case(
            "a quotient that rounds down",
            lambda rng: _given(rng, (11, 1), (15, 2), width=1),
            corner=True,
        ),
        Case("from one patch", lambda rng: _given(rng, (1, 1), (2, 3)), hidden=True),
    ),
    tolerance=1e-8,
    hint=(
        "`F.interpolate` wants (1, D, h, w): each feature is a channel. Take the class token away "
        "before, and put it back after."
    ),
)


def _given(rng, grid, new, width=5):
    positions = rng.standard_normal((1 + grid[0] * grid[1], width))
    return {"positions": positions, "grid": grid, "new": new}


def _ramp():
    row, column = np.divmod(np.arange(12.0), 4)
    positions = np.stack([row, column], axis=1)
    return {"positions": np.vstack([[9.0, -9.0], positions]), "grid": (3, 4), "new": (6, 4)}
