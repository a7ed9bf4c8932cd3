"""`generative.joint_loss`: the loss of a generative model."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.generative import B, C

EXERCISE = Exercise(
    title="The loss of a generative model: the joint likelihood",
    section="two-losses",
    tolerance=1e-10,
    cases=(
        Case("a batch", lambda rng: _joint(rng), 2, grad=("input",)),
        Case("densities above 1", lambda rng: _joint(rng, offset=50.0)),
        Case("densities beyond all numbers", lambda rng: _joint(rng, offset=-4000.0)),
        Case("impossible classes", lambda rng: _impossible(rng), grad=("input",)),
        Case("the right class is impossible", lambda rng: _never(rng)),
        Case("in float32", lambda rng: _joint(rng), dtype="float32"),
        Case(
            "a single example",
            lambda rng: _joint(rng, count=1),
            grad=("input",),
            hidden=True,
            corner=True,
        ),
    ),
    hint=(
        "One entry per row, that of the right class: `gather`, as in the cross-entropy, and "
        "nothing else of the row."
    ),
)


def _joint(rng, *, count=B, offset=0.0):
    return {
        "input": offset + 3 * rng.standard_normal((count, C)),
        "target": rng.integers(C, size=count),
    }


def _impossible(rng):
    """Every other class makes no such input."""
    drawn = _joint(rng)
    other = np.arange(C) != drawn["target"][:, None]
    drawn["input"][other] = -np.inf
    return drawn


def _never(rng):
    """One example is of a class that never makes such an input: the loss is infinite."""
    drawn = _joint(rng)
    drawn["input"][2, drawn["target"][2]] = -np.inf
    return drawn
