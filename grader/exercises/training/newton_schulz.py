"""`training.newton_schulz`: all singular values of a matrix, brought near 1."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.training import C, D

EXERCISE = Exercise(
    title="Newton–Schulz orthogonalization",
    section="muon",
    tolerance=1e-9,
    cases=(
        Case("a wide matrix", lambda rng: {"input": rng.standard_normal((C, D))}, 2),
        Case("a tall matrix", lambda rng: {"input": rng.standard_normal((D, C))}),
        Case("a square matrix", lambda rng: {"input": rng.standard_normal((C, C))}),
        Case("one step", lambda rng: {"input": rng.standard_normal((C, D)), "steps": 1}),
        Case(
            "no step",
            lambda rng: {"input": 9 * rng.standard_normal((D, C)), "steps": 0},
            corner=True,
        ),
        Case("directions that are almost lost", lambda rng: _uneven(rng), corner=True),
        Case("tiny", lambda rng: {"input": 1e-8 * rng.standard_normal((C, D))}, corner=True),
        Case("nothing", lambda rng: {"input": np.zeros((C, D))}, corner=True),
        Case("another eps", lambda rng: {"input": rng.standard_normal((C, D)), "eps": 3.0}),
        Case(
            "a long row of columns",
            lambda rng: {"input": rng.standard_normal((3, 61))},
            most={"largest": 3 * 61},
        ),
        Case(
            "a few more rows than columns, another eps",
            lambda rng: {"input": rng.standard_normal((13, 11)), "steps": 3, "eps": 4.0},
            most={"largest": 13 * 11},
        ),
        Case("float32", lambda rng: {"input": rng.standard_normal((C, D))}, dtype="float32"),
        Case("a column", lambda rng: {"input": rng.standard_normal((D, 1))}, corner=True),
        Case("a row", lambda rng: {"input": rng.standard_normal((1, D))}, corner=True),
        Case("a taller matrix", lambda rng: {"input": rng.standard_normal((D, 2))}, hidden=True),
    ),
    hint=("A = X Xᵀ multiplies from the left. After each step X is another matrix, and A with it."),
)


def _uneven(rng):
    """Singular values from 1 down to 10⁻⁴."""
    left, _ = np.linalg.qr(rng.standard_normal((C, C)))
    right, _ = np.linalg.qr(rng.standard_normal((D, C)))
    return {"input": (left * np.logspace(0, -4, C)) @ right.T}
