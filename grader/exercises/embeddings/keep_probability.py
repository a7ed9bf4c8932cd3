"""`embeddings.keep_probability`: thinning out frequent words."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.embeddings import _frequencies, _one_missing

EXERCISE = Exercise(
    title="Subsampling frequent words",
    section="subsampling",
    hint=(
        "The share f is a count divided by the number of all tokens. √(t / f) is above 1 for "
        "rare words, but a probability is at most 1."
    ),
    tolerance=1e-9,
    cases=(
        Case("some are frequent", lambda rng: _frequencies(rng, threshold=0.03), 2),
        Case("all are frequent", lambda rng: _frequencies(rng, threshold=1e-5)),
        Case("none is frequent", lambda rng: _frequencies(rng, threshold=1.0)),
        Case("a word that does not occur", lambda rng: _one_missing(rng, threshold=0.01)),
        Case(
            "counts that are fractions",
            lambda rng: {"counts": 2.0**-17 * _frequencies(rng)["counts"], "threshold": 0.03},
            corner=True,
        ),
        Case(
            "counts in half precision",
            lambda rng: {"counts": 1024.0 * rng.integers(16, 64, 7), "threshold": 0.03},
            dtype="float16",
        ),
        Case(
            "a tiny threshold, a tiny share",
            lambda rng: {"counts": np.array([1, 10**9, 3 + rng.integers(9)]), "threshold": 1e-10},
            corner=True,
        ),
        Case("another text", lambda rng: _frequencies(rng, words=31, threshold=0.02), hidden=True),
        Case("one word", lambda rng: _frequencies(rng, words=1, threshold=0.03), corner=True),
    ),
)
