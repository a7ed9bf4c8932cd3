"""`diffusion.diffuse_mixture`: noise moves and widens each component."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.diffusion import levels_of, mixture

EXERCISE = Exercise(
    title="A mixture with noise",
    section="forward-process",
    tolerance=1e-10,
    returns=("the weights", "the means", "the variances"),
    cases=(
        Case(
            "a level", lambda rng: _at(rng, levels_of(rng)), 2, grad=("means", "variances", "level")
        ),
        Case("five components", lambda rng: _at(rng, levels_of(rng), 5, 3), 2),
        Case("single points", lambda rng: _points(rng)),
        Case("clean", lambda rng: _clean(rng), corner=True),
        Case("pure noise", lambda rng: _at(rng, np.array([0.0, 1.0])), corner=True),
        Case("one component", lambda rng: _at(rng, levels_of(rng) / 3, 1), corner=True),
        Case("in float32", lambda rng: _at(rng, levels_of(rng)), dtype="float32"),
        Case("four components", lambda rng: _at(rng, levels_of(rng), 4), hidden=True),
    ),
    hint="A component is m + √v · z with a normal z. Multiply it by a, and add s ε.",
)


def _at(rng, level, components=3, width=2):
    return mixture(rng, components, width) | {"level": level}


def _clean(rng):
    """One of the components is a single point."""
    variances = rng.permutation(np.array([0.0, 0.5, 2.0]))
    return _at(rng, np.array([1.0, 0.0])) | {"variances": variances}


def _points(rng):
    return _at(rng, levels_of(rng)) | {"variances": np.zeros(3)}
