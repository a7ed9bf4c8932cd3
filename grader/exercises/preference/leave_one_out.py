"""`preference.leave_one_out`: held against the others."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.preference import normal

EXERCISE = Exercise(
    title="The leave-one-out baseline",
    section="baselines",
    cases=(
        Case("three prompts", lambda rng: {"rewards": normal(rng, 3, 5)}, 2),
        Case("right or wrong", lambda rng: {"rewards": rng.integers(0, 2, (5, 7)) * 1.0}),
        Case("two answers", lambda rng: {"rewards": normal(rng, 3, 2)}, 2),
        Case("all the same", lambda rng: {"rewards": np.full((2, 5), 0.75)}),
        Case("prompts of other ease", lambda rng: _ease(rng)),
        Case("one prompt", lambda rng: {"rewards": normal(rng, 1, 5)}, corner=True),
        Case("in float32", lambda rng: {"rewards": normal(rng, 3, 5)}, dtype="float32"),
        Case("one answer", lambda rng: {"rewards": normal(rng, 3, 1)}, raises="ValueError"),
        Case(
            "one answer, to one prompt",
            lambda rng: {"rewards": normal(rng, 1, 1)},
            raises="ValueError",
        ),
        Case("seven prompts", lambda rng: {"rewards": normal(rng, 7, 5)}, hidden=True),
    ),
    hint="Sum each group with `keepdim=True`, so that it broadcasts. How many others are there?",
)


def _ease(rng):
    return {"rewards": normal(rng, 3, 5) + np.array([[0.0], [50.0], [-20.0]])}
