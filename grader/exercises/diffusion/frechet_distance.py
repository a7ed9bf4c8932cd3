"""`diffusion.frechet_distance`: means, and roots of covariances."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.diffusion import few

EXERCISE = Exercise(
    title="The Fréchet distance",
    section="frechet-distance",
    tolerance=1e-5,
    cases=(
        Case("two sets", lambda rng: _sets(rng, 7, 5, 3), 2),
        Case("correlated features", lambda rng: _turned(rng), 2),
        Case("one set moved", lambda rng: _moved(rng)),
        Case("one set twice as wide", lambda rng: _wider(rng)),
        Case("fewer examples than features", lambda rng: _sets(rng, 2, 3, 5)),
        Case("one feature", lambda rng: _sets(rng, 5, 7, 1), corner=True),
        Case("far from zero", lambda rng: _far(rng), corner=True),
        Case("in float32", lambda rng: _sets(rng, 7, 5, 3), dtype="float32"),
        Case("many features", lambda rng: _sets(rng, 11, 13, 7), hidden=True),
    ),
    hint=(
        "`torch.cov` takes features as rows. The eigenvalues of C_1 C_2 are real and not negative, "
        "up to rounding; the trace of the root is the sum of their roots."
    ),
)


def _sets(rng, count, other, width):
    return {"features": few(rng, count, width), "others": few(rng, other, width)}


def _turned(rng):
    given = _sets(rng, 7, 11, 3)
    mix = np.array([[1.0, 0.75, 0.0], [0.0, 1.0, -0.5], [0.5, 0.0, 1.0]])
    return given | {"features": given["features"] @ mix}


def _moved(rng):
    features = few(rng, 7, 3)
    return {"features": features, "others": features + few(rng, 3)}


def _wider(rng):
    features = few(rng, 5, 2)
    return {"features": features, "others": 2 * features}


def _far(rng):
    given = _sets(rng, 7, 5, 2)
    return {name: value + 2.0**24 for name, value in given.items()}
