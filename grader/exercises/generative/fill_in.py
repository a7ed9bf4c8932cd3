"""`generative.fill_in`: what must have been there."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.generative import B, C, D

EXERCISE = Exercise(
    title="Inferring the hidden features",
    section="filling-in",
    tolerance=1e-10,
    cases=(
        Case("some features missing", lambda rng: _gaps(rng, B), 2),
        Case("the same ones everywhere", lambda rng: _half(rng), grad=("log_posterior", "mean")),
        Case("a single input", lambda rng: _gaps(rng)),
        Case("infinite where observed", lambda rng: _infinite(rng), corner=True),
        Case("in float32", lambda rng: _gaps(rng, B), dtype="float32"),
        Case("as many classes as features", lambda rng: _gaps(rng, B, classes=D), hidden=True),
        Case("two leading axes", lambda rng: _gaps(rng, 1, 2), corner=True),
        Case("one input", lambda rng: _gaps(rng, 1), hidden=True, corner=True),
    ),
    hint=(
        "The expectation is a mean of the class means, weighted by the posterior: a matrix "
        "product. Then choose, entry by entry."
    ),
)


def _gaps(rng, *lead, classes=C):
    drawn = rng.standard_normal((*lead, classes))
    observed = rng.random((*lead, D)) < 0.5
    observed[..., 0], observed[..., 1] = True, False
    missing = np.where(np.arange(D) % 2, np.nan, 3.0)
    return {
        "input": np.where(observed, rng.standard_normal((*lead, D)), missing),
        "log_posterior": drawn - np.log(np.exp(drawn).sum(-1, keepdims=True)),
        "mean": rng.standard_normal((classes, D)),
        "observed": observed,
    }


def _infinite(rng):
    """Observed features of any value: they stay as they are."""
    drawn = _gaps(rng, B)
    drawn["input"][0, 0], drawn["input"][1, 0], drawn["input"][2, 0] = np.inf, -np.inf, np.nan
    return drawn


def _half(rng):
    drawn = _gaps(rng, B)
    return {**drawn, "input": rng.standard_normal((B, D)), "observed": np.arange(D) < 3}
