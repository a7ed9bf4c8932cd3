"""`preference.group_advantages`: better than the others, by how much?"""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.preference import normal

EXERCISE = Exercise(
    title="Group-relative advantages",
    section="baselines",
    cases=(
        Case("three prompts", lambda rng: {"rewards": normal(rng, 3, 5)}, 2),
        Case("right or wrong", lambda rng: {"rewards": _mixed(rng)}, 2),
        Case("prompts of other ease", lambda rng: {"rewards": _ease(rng)}),
        Case("one in many", lambda rng: {"rewards": np.eye(3, 43)}),
        Case("all the same", lambda rng: {"rewards": _same(rng)}, 2, corner=True),
        Case("nearly the same", lambda rng: {"rewards": 1e-9 * normal(rng, 3, 5)}, corner=True),
        Case("far from zero", lambda rng: {"rewards": _far(rng)}, corner=True),
        Case("two answers", lambda rng: {"rewards": normal(rng, 3, 2)}),
        Case("one answer", lambda rng: {"rewards": normal(rng, 3, 1)}, 2, corner=True),
        Case("not scaled", lambda rng: {"rewards": normal(rng, 3, 5), "scale": False}, 2),
        Case(
            "not scaled, all the same",
            lambda rng: {"rewards": _same(rng), "scale": False},
            corner=True,
        ),
        Case("one value alone", lambda rng: {"rewards": np.array([[0.1] * 7])}, corner=True),
        Case(
            "not scaled, one large value alone",
            lambda rng: {"rewards": np.array([[1e6 + 0.1] * 7]), "scale": False},
        ),
        Case("in float32", lambda rng: {"rewards": _mixed(rng)}, dtype="float32"),
        Case("one prompt", lambda rng: {"rewards": normal(rng, 1, 7)}, corner=True),
        Case("seven prompts", lambda rng: {"rewards": normal(rng, 7, 11)}, hidden=True),
    ),
    hint=(
        "Compute mean and standard deviation of each row, with divisor G. In a row of equal "
        "rewards the deviation is 0: find these rows first."
    ),
)


def _mixed(rng):
    rewards = rng.integers(0, 2, (5, 7)) * 1.0
    rewards[:, 0], rewards[:, 1] = 0, 1
    return rewards


def _ease(rng):
    return normal(rng, 3, 5) * np.array([[1.0], [7.0], [0.1]]) + np.array([[0.0], [50.0], [-20.0]])


def _same(rng):
    """0.1 seven times has a mean that is not quite 0.1."""
    return np.array([[0.1] * 7, [0.0] * 7, [1.0] * 7, normal(rng, 7)])


def _far(rng):
    """Sixteenths, of which means and deviations are exact, and squares are not."""
    return 2.0**24 + rng.integers(0, 64, (2, 4)) / 16
