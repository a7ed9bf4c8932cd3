"""`refresher.posterior`: Bayes' rule."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise

EXERCISE = Exercise(
    title="Bayes' rule",
    section="bayes-rule",
    tolerance=1e-9,
    cases=(
        Case("five observations", lambda rng: _observed(rng, 5), 2, grad=("prior", "likelihood")),
        Case("one observation", lambda rng: _observed(rng), grad=("likelihood",)),
        Case("as many observations as classes", lambda rng: _observed(rng, 3)),
        Case("a rare class", lambda rng: _observed(rng, 7, rare=True)),
        Case("densities above 1", lambda rng: _observed(rng, 5, scale=20.0)),
        Case("an impossible class", lambda rng: _impossible(rng), corner=True),
        Case("a batch of one", lambda rng: _observed(rng, 1), corner=True),
        Case("two leading axes", lambda rng: _observed(rng, 2, 5), corner=True),
        Case("float32", lambda rng: _observed(rng, 5), dtype="float32"),
        Case("eleven observations", lambda rng: _observed(rng, 11), hidden=True),
    ),
    hint="Multiply, then divide each row by its own sum: keep the axis, so that it broadcasts.",
)


def _observed(rng, *lead, rare=False, scale=1.0):
    prior = np.array([0.9, 0.099, 0.001]) if rare else rng.dirichlet(np.ones(3))
    return {"prior": prior, "likelihood": scale * rng.random((*lead, 3))}


def _impossible(rng):
    drawn = _observed(rng, 2)
    drawn["likelihood"] *= 1e-100  # as densities of pictures are
    drawn["likelihood"][:, 1] = 0.0
    return drawn
