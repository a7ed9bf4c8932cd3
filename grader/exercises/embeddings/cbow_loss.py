"""`embeddings.cbow_loss`: guess a word from the mean of its neighbors."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.embeddings import TABLES, D, K, V, _words

BOTH = ("vectors", "outputs")

EXERCISE = Exercise(
    title="The loss of continuous bag of words (CBOW)",
    section="successors",
    hint=(
        "Three functions of this chapter, one after the other: the mean of the neighbors, two "
        "lookups, the loss of skip-gram."
    ),
    forbidden=TABLES,
    needs=("neighbor_mean", "neighborhood", "lookup", "sgns_loss"),
    cases=(
        Case("a sentence", lambda rng: _sentence(rng), 2, grad=BOTH),
        Case("words that repeat", lambda rng: _sentence(rng, words=3), grad=BOTH),
        Case("a wide window", lambda rng: _sentence(rng, window=5), 2, grad=BOTH),
        Case("window past both ends", lambda rng: _sentence(rng, length=4, window=9)),
        Case("one noise word", lambda rng: _sentence(rng, negatives=1)),
        Case("two words", lambda rng: _sentence(rng, length=2), grad=BOTH, corner=True),
        Case("one word", lambda rng: _sentence(rng, length=1), grad=("outputs",), corner=True),
        Case("large vectors", lambda rng: _sentence(rng, length=31, scale=600.0), grad=BOTH),
        Case("float32", lambda rng: _sentence(rng), dtype="float32"),
        Case("a longer one", lambda rng: _sentence(rng, length=29, window=3), hidden=True),
        Case("no neighbors", lambda rng: _sentence(rng, window=0, negatives=K + 2), corner=True),
    ),
)


def _sentence(rng, *, length=11, window=2, negatives=K, words=V, scale=1.0):
    return {
        "sentence": _words(rng, length, words=words),
        "noise": _words(rng, length, negatives, words=words),
        "vectors": scale * rng.standard_normal((words, D)),
        "outputs": rng.standard_normal((words, D)) * np.geomspace(0.3, 3, words)[:, None],
        "window": window,
    }
