"""`generative.fit_bernoulli`: coins, with a head start."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.generative import C, D, bits, gap, labels_of

EXERCISE = Exercise(
    title="Fitting Bernoulli naive Bayes, with smoothing",
    section="zero-counts",
    tolerance=1e-6,  # where whole numbers are divided, torch makes float32 of them
    cases=(
        Case("Laplace's rule", lambda rng: _coins(rng), 2),
        Case("another α", lambda rng: _coins(rng, smoothing=0.3), 2),
        Case("half a head start", lambda rng: _coins(rng, smoothing=0.5)),
        Case("more than Laplace's", lambda rng: _coins(rng, smoothing=1.5)),
        Case("frequencies alone", lambda rng: _coins(rng, smoothing=0.0), corner=True),
        Case(
            "no example and no prior",
            lambda rng: _coins(rng, classes=C + 1, smoothing=0.0),
            raises="ValueError",
        ),
        Case(
            "no example of a class in the middle, and no prior",
            lambda rng: gap(_coins(rng, smoothing=0.0)),
            raises="ValueError",
        ),
        Case(
            "a class in the middle without examples, α = 0.0001",
            lambda rng: gap(_coins(rng, smoothing=1e-4)),
            corner=True,
        ),
        Case("in float32", lambda rng: _coins(rng), dtype="float32"),
        Case("on another device", lambda rng: _away(rng), probe="elsewhere"),
        Case("a class without examples", lambda rng: _coins(rng, classes=C + 1), corner=True),
        Case("a strong prior", lambda rng: _coins(rng, smoothing=40.0), hidden=True),
        Case(
            "one class",
            lambda rng: {**_coins(rng, classes=1), "labels": np.zeros(31, dtype=np.int64)},
            corner=True,
        ),
        Case("Laplace by default", lambda rng: _without(_coins(rng), "smoothing")),
    ),
    hint=(
        "Count the ones of each class with a matrix product, as for the Gaussian means. A coin "
        "has two sides, and α goes to each."
    ),
)


def _coins(rng, *, classes=C, smoothing=1.0):
    return {
        "features": bits(rng, 31, D),
        "labels": labels_of(rng, 31),
        "classes": classes,
        "smoothing": smoothing,
    }


def _without(drawn, *names):
    """Left to their defaults."""
    return {name: value for name, value in drawn.items() if name not in names}


def _away(rng):
    """Few of them: only where the result lies is looked at."""
    return {"features": bits(rng, 3, 2), "labels": rng.permutation(3), "classes": 3}
