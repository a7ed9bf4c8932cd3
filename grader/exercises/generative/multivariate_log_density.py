"""`generative.multivariate_log_density`: the density of a Gaussian that may tilt."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.generative import B, C, D

EXERCISE = Exercise(
    title="The log density of a multivariate Gaussian",
    section="correlations",
    cases=(
        Case("a batch", lambda rng: _density(rng, B), 2, grad=("input", "mean", "covariance")),
        Case("a single input", lambda rng: _density(rng), grad=("input",), corner=True),
        Case("two leading axes", lambda rng: _density(rng, 2, 3), corner=True),
        Case("one covariance for all", lambda rng: _density(rng, B, own=1), 2),
        Case("as many classes as features", lambda rng: _density(rng, B, classes=D)),
        Case("a determinant too small for a number", lambda rng: _narrow(rng), 2),
        Case("far away", lambda rng: _density(rng, B, scale=1e3)),
        Case("one feature", lambda rng: _density(rng, B, features=1), corner=True),
        Case("no input", lambda rng: _density(rng, 0)),
        Case("float32", lambda rng: _density(rng, B), dtype="float32"),
        Case("a single class", lambda rng: _density(rng, B, classes=1), corner=True),
        Case("two classes", lambda rng: _density(rng, B, classes=2), hidden=True),
    ),
    hint=(
        "`torch.linalg.cholesky` gives R. `solve_triangular` applies its inverse to many columns "
        "at once, and the logarithms of its diagonal sum to half of ln det Σ."
    ),
    forbidden=("torch.distributions",),
)


def _density(rng, *lead, classes=C, own=None, features=D, scale=1.0):
    own = classes if own is None else own
    mixed = rng.standard_normal((own, features, features))
    return {
        "input": scale * rng.standard_normal((*lead, features)),
        "mean": rng.standard_normal((classes, features)),
        "covariance": mixed @ mixed.transpose(0, 2, 1) / features + 0.3 * np.eye(features),
    }


def _narrow(rng):
    """Deviations of 10⁻¹⁶ in twenty-three features: det Σ is 10⁻⁷³⁶ or so."""
    drawn = _density(rng, 3, classes=2, features=23)
    sizes = {"input": 1e-16, "mean": 1e-16, "covariance": 1e-32}
    return {name: size * drawn[name] for name, size in sizes.items()}
