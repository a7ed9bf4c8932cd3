"""`diffusion.gaussian_score`: arrows that point to the mean."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.diffusion import between, few

EXERCISE = Exercise(
    title="The score of a Gaussian",
    section="score",
    tolerance=1e-9,
    cases=(
        Case("a batch", lambda rng: _points(rng, 5), 2),
        Case("one variance for all features", lambda rng: _round(rng, 5)),
        Case("small variances", lambda rng: _narrow(rng)),
        Case("two leading axes", lambda rng: _points(rng, 3, 2), corner=True),
        Case("one point in a row", lambda rng: _points(rng, 1), corner=True),
        Case("in float32", lambda rng: _points(rng, 5), dtype="float32"),
        Case("a single point", lambda rng: _points(rng), corner=True),
        Case("far away", lambda rng: _far(rng), hidden=True),
    ),
    hint="Differentiate ln p(x): the constant drops out, and so does the ½.",
)


def _points(rng, *lead):
    return {
        "points": few(rng, *lead, 3),
        "mean": few(rng, 3),
        "variance": between(rng, 0.25, 4, 3),
    }


def _round(rng, *lead):
    made = _points(rng, *lead)
    return made | {"mean": made["mean"] / 3, "variance": np.array(between(rng, 0.25, 4) / 3)}


def _narrow(rng):
    return _points(rng, 5) | {"variance": between(rng, 0.0625, 0.25, 3) / 4096}


def _far(rng):
    return _points(rng, 2) | {"points": 4096 * few(rng, 2, 3)}
