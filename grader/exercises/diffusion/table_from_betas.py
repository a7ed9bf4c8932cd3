"""`diffusion.table_from_betas`: many small steps as one."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.diffusion import between

EXERCISE = Exercise(
    title="A table from a chain of small steps",
    section="forward-process",
    tolerance=1e-9,
    cases=(
        Case("five steps", lambda rng: {"betas": between(rng, 0.125, 0.75, 5)}, 2, grad=("betas",)),
        Case("small steps", lambda rng: {"betas": between(rng, 0.125, 0.75, 7) / 16}, 2),
        Case("one step", lambda rng: {"betas": between(rng, 0.125, 0.75, 1)}),
        Case("a step that leaves nothing", lambda rng: _gone(rng), corner=True),
        Case("no steps", lambda rng: {"betas": np.zeros(0)}),
        Case(
            "on another device",
            lambda rng: {"betas": between(rng, 0.125, 0.75, 3)},
            probe="elsewhere",
        ),
        Case("in float32", lambda rng: {"betas": between(rng, 0.125, 0.75, 5)}, dtype="float32"),
        Case("eleven", lambda rng: {"betas": between(rng, 0.125, 0.75, 11)}, hidden=True),
    ),
    hint="`cumprod`, with a 1 before it; then both columns are roots.",
)


def _gone(rng):
    betas = between(rng, 0.125, 0.75, 5)
    betas[2] = 1.0
    return {"betas": betas}
