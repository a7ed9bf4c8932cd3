"""`diffusion.mixture_score`: which component a point may come from."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.diffusion import few, mixture

EXERCISE = Exercise(
    title="The score of a mixture",
    section="score",
    tolerance=1e-8,
    cases=(
        Case("a batch", lambda rng: _points(rng, 5), 2),
        Case("unequal variances", lambda rng: _unequal(rng), 2),
        Case("three features", lambda rng: _points(rng, 5, width=3)),
        Case("far from all", lambda rng: _far(rng)),
        Case("a weight of 0", lambda rng: _without(rng), corner=True),
        Case("two leading axes", lambda rng: _points(rng, 3, 2), corner=True),
        Case("one component", lambda rng: _points(rng, 2, components=1), corner=True),
        Case("in float32", lambda rng: _points(rng, 5), dtype="float32"),
        Case("a single point", lambda rng: _points(rng), corner=True),
        Case("five components", lambda rng: _points(rng, 3, components=5), hidden=True),
        Case("one point in a row", lambda rng: _points(rng, 1), corner=True),
    ),
    hint=(
        "The gradient of ln Σ_k exp(u_k) is the average of the gradients of u_k, weighted by the "
        "softmax of u."
    ),
)


def _points(rng, *lead, components=3, width=2):
    return {"points": few(rng, *lead, width)} | mixture(rng, components, width)


def _unequal(rng):
    given = _points(rng, 5, width=5)
    return given | {"variances": rng.permutation(np.array([0.25, 1.0, 4.0]))}


def _far(rng):
    given = _points(rng, 3)
    return given | {"points": 512 * given["points"]}


def _without(rng):
    """Far from all, where the widest component would win if its weight were only tiny."""
    given = _far(rng)
    order = rng.permutation(3)
    return given | {
        "weights": np.array([0.0, 0.375, 0.625])[order],
        "variances": np.array([4.0, 1.0, 0.25])[order],
    }
