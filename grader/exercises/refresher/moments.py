"""`refresher.moments`: mean and variance."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise

EXERCISE = Exercise(
    title="Mean and variance",
    section="mean-and-variance",
    tolerance=1e-9,
    cases=(
        Case("a loaded die", lambda rng: _chances(rng), 2, grad=("values",)),
        Case("three loaded dice", lambda rng: _chances(rng, 3), grad=("values",)),
        Case("two leading axes", lambda rng: _chances(rng, 2, 5), corner=True),
        Case("a value that never comes", lambda rng: _never(rng)),
        Case("one die in a batch", lambda rng: _chances(rng, 1), corner=True),
        Case("a certain value", lambda rng: _certain(rng), corner=True),
        Case("far from 0", lambda rng: _far(rng), corner=True),
        Case("float32", lambda rng: _chances(rng, 3), dtype="float32"),
        Case("seven dice", lambda rng: _chances(rng, 7), hidden=True),
    ),
    hint=(
        "Weight every value by its probability and sum. For the variance, do the same with the "
        "squared distances to the mean."
    ),
    returns=("the mean", "the variance"),
)


def _chances(rng, *lead, count=6):
    return {
        "values": rng.standard_normal(count),
        "probabilities": rng.dirichlet(np.ones(count), size=lead or None),
    }


def _never(rng):
    drawn = _chances(rng)
    chances = drawn["probabilities"]
    chances[0] = 0.0
    return drawn | {"probabilities": chances / chances.sum()}


def _far(rng):
    """Two values so far from 0 that their squares are rounded, the same way on every machine."""
    center, apart = rng.integers(2**28, 2**29), 2 * rng.integers(1, 5) + 1
    return {
        "values": np.array([center - apart, center + apart], dtype=float),
        "probabilities": np.array([[0.5, 0.5]]),
    }


def _certain(rng):
    return {"values": rng.standard_normal(1), "probabilities": np.ones((2, 1))}
