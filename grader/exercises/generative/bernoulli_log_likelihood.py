"""`generative.bernoulli_log_likelihood`: the probability of a row of coins."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.generative import B, C, D, bits

EXERCISE = Exercise(
    title="The Bernoulli log likelihood",
    section="zero-counts",
    tolerance=1e-10,
    cases=(
        Case("a batch", lambda rng: _tossed(rng, B), 2, grad=("probability",)),
        Case("a single input", lambda rng: _tossed(rng, sure=1e-12), corner=True),
        Case("coins that always fall the same way", lambda rng: _certain(rng), 2),
        Case("very many coins", lambda rng: _tossed(rng, 2, features=2003)),
        Case("some features missing", lambda rng: _some_tossed(rng)),
        Case("certain coins missing", lambda rng: _some_certain(rng), corner=True),
        Case(
            "gradients of certain coins",
            lambda rng: _agreeing(rng),
            grad=("probability",),
            corner=True,
        ),
        Case(
            "gradients of certain coins, some missing",
            lambda rng: {**_agreeing(rng), "observed": rng.random((B, D)) < 0.6},
            grad=("probability",),
            corner=True,
        ),
        Case(
            "gradients where impossible coins are missing",
            lambda rng: _impossible_missing(rng),
            grad=("probability",),
            corner=True,
        ),
        Case("no input", lambda rng: _tossed(rng, 0)),
        Case("in float32", lambda rng: _tossed(rng, B), dtype="float32"),
        Case("two leading axes", lambda rng: _tossed(rng, 1, 2), corner=True),
        Case(
            "almost certain coins", lambda rng: _tossed(rng, B, sure=1e-9), hidden=True, corner=True
        ),
        Case("one input", lambda rng: _tossed(rng, 1), hidden=True, corner=True),
    ),
    hint=(
        "What is seen has the probability p or 1 − p, and one logarithm of that is enough. A zero "
        "in the input has something to say as well."
    ),
)


def _tossed(rng, *lead, features=D, sure=0.03):
    probability = rng.uniform(sure, 1 - sure, (3 if features > D else C, features))
    if features > D:
        probability = np.round(256 * probability) / 256  # few bits, which compress well
    if sure < 1e-3:
        probability = np.where(rng.random(probability.shape) < 0.5, sure, 0.5)
    return {"input": bits(rng, *lead, features), "probability": probability}


def _certain(rng):
    """Each class is certain of some features; every input agrees with one class at least."""
    probability = np.where(rng.random((C, D)) < 0.4, np.round(rng.random((C, D))), 0.3)
    probability[0], probability[1] = 0.0, 1.0
    wanted = probability[np.arange(B) % C]
    flat = wanted == 0.3
    return {"input": np.where(flat, bits(rng, B, D), wanted), "probability": probability}


def _agreeing(rng):
    """All classes are certain of the same features, and every input is as they say."""
    probability = rng.uniform(0.1, 0.9, (C, D))
    probability[:, :3] = [0.0, 1.0, 0.0]
    input = bits(rng, B, D)
    input[:, :3] = [0.0, 1.0, 0.0]
    return {"input": input, "probability": probability}


def _impossible_missing(rng):
    """Features that were never observed, and so never happen in any class."""
    drawn = _agreeing(rng)
    drawn["input"][:, :3] = [1.0, 0.0, 1.0]
    return {**drawn, "observed": np.arange(D) > 2}


def _some_tossed(rng):
    observed = rng.random((B, D)) < 0.6
    return {**_tossed(rng, B), "observed": observed}


def _some_certain(rng):
    """The first class is certain of four features, of which three are missing everywhere."""
    probability = rng.uniform(0.1, 0.9, (C, D))
    probability[0, 3:] = np.round(rng.random(D - 3))
    input = bits(rng, B, D)
    return {"input": input, "probability": probability, "observed": np.arange(D) < 4}
