"""`embeddings.nearest`: nearest neighbors."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.embeddings import V, _vectors


def _neighbors(rng, word, count, **sizes):
    return {"vectors": _vectors(rng, **sizes), "word": word, "count": count}


EXERCISE = Exercise(
    title="Nearest neighbors",
    section="neighbors",
    hint=(
        "Scale every vector to length 1; then one matrix-vector product holds all cosines. "
        "Exclude the word itself before `topk`."
    ),
    forbidden=("F.cosine_similarity", "nn.CosineSimilarity"),
    cases=(
        Case("five neighbors", lambda rng: _neighbors(rng, 3, 5), 2),
        Case("the longest vector asks", lambda rng: _neighbors(rng, V - 1, 4)),
        Case("all are opposite", lambda rng: _opposite(rng)),
        Case("a vector of the same direction", lambda rng: _same_direction(rng), corner=True),
        Case("the same vector twice", lambda rng: _same_direction(rng, 9, 2, 1.0), corner=True),
        Case("two words, exactly opposite", lambda rng: _two(), corner=True),
        Case("tiny vectors", lambda rng: _tiny(rng), corner=True),
        Case("more than there are", lambda rng: _neighbors(rng, 3, V), raises="ValueError"),
        Case("on another device", lambda rng: _away(rng), probe="elsewhere"),
        Case("in float32", lambda rng: _neighbors(rng, 3, 5), dtype="float32"),
        Case("everyone, in order", lambda rng: _neighbors(rng, 0, 12, words=13), hidden=True),
        Case(
            "a later vector of the same direction",
            lambda rng: _same_direction(rng, 2, 9),
            corner=True,
        ),
    ),
)


def _opposite(rng):
    vectors = np.abs(_vectors(rng, words=7))
    vectors[2] *= -1
    return {"vectors": vectors, "word": 2, "count": 3}


def _same_direction(rng, word=9, twin=2, times=2.0):
    """Another word with the same cosines as the one asked about."""
    made = _neighbors(rng, word, 2)
    made["vectors"][twin] = times * made["vectors"][word]
    return made


def _two():
    return {"vectors": np.array([[1.0, 0.0], [-2.0, 0.0]]), "word": 0, "count": 1}


def _tiny(rng):
    made = _neighbors(rng, 3, 5)
    return {**made, "vectors": 1e-9 * made["vectors"]}


def _away(rng):
    """Whole numbers: only where the result lies is looked at."""
    return {"vectors": rng.integers(1, 9, (5, 2)).astype(float), "word": 3, "count": 2}
