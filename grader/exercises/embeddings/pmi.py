"""`embeddings.pmi`: more often than by chance."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.embeddings import _counts, _never_seen

EXERCISE = Exercise(
    title="Pointwise mutual information (PMI)",
    section="pmi",
    hint=(
        "Compute the count that each cell would have by chance, #(w) · q(c), by broadcasting a "
        "column and a row; the rest is a division and a logarithm."
    ),
    cases=(
        Case("counts", _counts, 2),
        Case("rare contexts smoothed", lambda rng: _counts(rng, rows=6, power=0.75), 2),
        Case("square", lambda rng: _counts(rng, rows=5)),
        Case("a word never seen", _never_seen, corner=True),
        Case("frequent words that hardly ever meet", lambda rng: {"counts": _avoiding(rng)}),
        Case(
            "counts in half precision",
            lambda rng: {"counts": _counts(rng, rows=3, scale=5e4)["counts"].astype(float)},
            dtype="float16",
        ),
        Case(
            "counts that are fractions",
            lambda rng: {"counts": _counts(rng, rows=3)["counts"] * 2.0**-37, "power": 0.75},
            corner=True,
        ),
        Case(
            "large counts", lambda rng: _counts(rng, scale=1e6, power=0.5), hidden=True, corner=True
        ),
        Case("one word", lambda rng: _counts(rng, rows=1), corner=True),
        Case(
            "counts beyond float32",
            lambda rng: {"counts": 1e39 * _counts(rng, rows=3)["counts"]},
            corner=True,
        ),
    ),
)


def _avoiding(rng):
    counts = rng.integers(1, 3, size=(3, 3))
    counts[np.arange(3), np.arange(3)] = rng.integers(10**12, 10**13, size=3)
    return counts
