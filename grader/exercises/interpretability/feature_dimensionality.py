"""`interpretability.feature_dimensionality`: a share of a dimension."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.interpretability import few

EXERCISE = Exercise(
    title="Feature dimensionality",
    section="superposition-phases",
    tolerance=1e-9,
    cases=(
        Case("five features in three dimensions", lambda rng: {"weight": few(rng, 3, 5)}, 2),
        Case("opposite pairs", lambda rng: _pairs(rng), 2),
        Case("a feature that is not represented", lambda rng: _zero(rng), corner=True),
        Case("several models", lambda rng: {"weight": few(rng, 2, 1, 2, 3)}, corner=True),
        Case("one dimension", lambda rng: {"weight": few(rng, 1, 3)}, corner=True),
        Case("in float32", lambda rng: {"weight": few(rng, 2, 3)}, dtype="float32"),
        Case("seven features", lambda rng: {"weight": few(rng, 5, 7)}, hidden=True),
    ),
    hint="`weight.mT @ weight` has all products of columns; its diagonal has the squared lengths.",
)


def _pairs(rng):
    """Columns on the axes, of unequal lengths: one alone, and a pair with opposite signs."""
    sizes = rng.integers(4, 33, 3) / 8
    return {"weight": np.array([[sizes[0], 0, 0], [0, sizes[1], -sizes[2]]])}


def _zero(rng):
    weight = few(rng, 2, 4)
    weight[:, 1] = 0
    return {"weight": weight}
