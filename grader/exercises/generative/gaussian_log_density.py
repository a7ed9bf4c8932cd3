"""`generative.gaussian_log_density`: a density with many factors."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.generative import B, C, D

EXERCISE = Exercise(
    title="The log density of independent Gaussians",
    section="density",
    tolerance=1e-10,
    cases=(
        Case("a batch", lambda rng: _density(rng, B), 2, grad=("input", "mean", "variance")),
        Case("a single input", lambda rng: _density(rng), grad=("input",), corner=True),
        Case("one variance for all classes", lambda rng: _density(rng, 2, 3, rows=1)),
        Case("far away", lambda rng: _density(rng, 3, scale=60.0), corner=False),
        Case("years", lambda rng: _moved(rng), grad=("mean",)),
        Case("some features missing", lambda rng: _with_gaps(rng), 2, grad=("mean", "variance")),
        Case("NaN where every feature counts", lambda rng: _unmasked(rng), corner=True),
        Case("one feature", lambda rng: _density(rng, B, features=1), corner=True),
        Case("no input", lambda rng: _density(rng, 0)),
        Case("in float32, an input per class", lambda rng: _density(rng, C), dtype="float32"),
        Case(
            "the same features missing everywhere",
            lambda rng: _same_gaps(rng),
            grad=("input",),
            corner=False,
        ),
        Case(
            "narrow and wide",
            lambda rng: _density(rng, 2, 3, spread=1e3),
            grad=("mean", "variance"),
            hidden=True,
        ),
        Case("one input", lambda rng: _density(rng, 1), corner=True),
        Case("variances of 10⁻²⁰", lambda rng: _narrow(rng), corner=True),
    ),
    hint=(
        "Give the input an axis for the classes: (..., 1, D) against (C, D). Compute the log of "
        "each factor, and add up the last axis."
    ),
)


def _density(rng, *lead, rows=C, features=D, scale=1.0, spread=3.0):
    return {
        "input": scale * rng.standard_normal((*lead, features)),
        "mean": rng.standard_normal((C, features)),
        "variance": spread ** rng.uniform(-1, 1, (rows, features)),
    }


def _moved(rng):
    """Inputs and means around a million, deviations around 1."""
    drawn = _density(rng, B)
    level = 1e6 * (1 + np.arange(D))
    return {**drawn, "input": drawn["input"] + level, "mean": drawn["mean"] + level}


def _with_gaps(rng):
    drawn = _density(rng, B)
    observed = rng.random((B, D)) < 0.6
    observed[0], observed[1] = True, False
    drawn["input"][~observed] = rng.choice([np.nan, np.inf, 5.0], (~observed).sum())
    return {**drawn, "observed": observed}


def _same_gaps(rng):
    """NaN at a feature that counts, too: what it makes of its input is not to be hidden."""
    drawn = _density(rng, 2, 3, rows=1)
    drawn["input"][0, 0, 1] = np.nan
    return {**drawn, "observed": np.arange(D) % 3 > 0}


def _unmasked(rng):
    drawn = _density(rng, 2, features=2)
    drawn["input"][0, 1] = np.nan
    return drawn


def _narrow(rng):
    """Inputs and means as near to each other as the variances are small."""
    drawn = _density(rng, B)
    scale = {"input": 1e-10, "mean": 1e-10, "variance": 1e-20}
    return {name: scale[name] * value for name, value in drawn.items()}
