"""`embeddings.neighbor_mean`: a vector that depends on its sentence."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.embeddings import D, V


def _context(rng, length=7, window=2):
    return {
        "sentence": rng.integers(V, size=length),
        "vectors": rng.standard_normal((V, D)),
        "window": window,
    }


EXERCISE = Exercise(
    title="A contextual vector: the mean of the neighbors",
    section="representations",
    hint=(
        "Write the neighborhood as a matrix of 0 and 1. Its product with the vectors of the "
        "words adds up the neighbors, and its row sums count them."
    ),
    needs=("lookup", "neighborhood"),
    cases=(
        Case("a sentence", _context, 2, grad=("vectors",)),
        Case("window of one", lambda rng: _context(rng, window=1), grad=("vectors",)),
        Case("window past both ends", lambda rng: _context(rng, length=5, window=11)),
        Case("no window", lambda rng: _context(rng, window=0), corner=True),
        Case("one word", lambda rng: _context(rng, length=1)),
        Case("on another device", lambda rng: _context(rng), probe="elsewhere"),
        Case("in float16", lambda rng: _whole(_context(rng)), dtype="float16"),
        Case("a longer one", lambda rng: _context(rng, length=23, window=5), hidden=True),
    ),
)


def _whole(given):
    """Whole numbers, whose sums in half precision do not depend on their order."""
    return given | {"vectors": np.rint(given["vectors"])}
