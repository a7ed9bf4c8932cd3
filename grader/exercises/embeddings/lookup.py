"""`embeddings.lookup`: lookup."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.embeddings import B, D, V, _words


def _table(rng, *shape, words=V):
    return {"input": _words(rng, *shape, words=words), "weight": rng.standard_normal((words, D))}


EXERCISE = Exercise(
    title="Embedding lookup",
    section="lookup",
    hint="Indexing with a tensor of numbers fetches rows, and keeps the shape of the numbers.",
    forbidden=("F.embedding", "nn.Embedding", "F.embedding_bag", "nn.EmbeddingBag"),
    cases=(
        Case("a list of words", lambda rng: _table(rng, B), grad=("weight",)),
        Case("a batch of sentences", lambda rng: _table(rng, 2, 3), grad=("weight",)),
        Case("as many words as features", lambda rng: _table(rng, 4, words=D), grad=("weight",)),
        Case(
            "a larger batch",
            lambda rng: _table(rng, 5, 7),
            grad=("weight",),
            hidden=True,
            corner=True,
        ),
        Case("a batch of one", lambda rng: _table(rng, 1, 3), grad=("weight",), corner=True),
        Case("in float32", lambda rng: _table(rng, B), dtype="float32"),
        Case(
            "a single word",
            lambda rng: {
                "input": np.array(rng.integers(V)),
                "weight": rng.standard_normal((V, D)),
            },
            grad=("weight",),
            corner=True,
        ),
        Case("what it costs", lambda rng: _table(rng, 3, words=101), most={"largest": 100}),
        Case("three axes", lambda rng: _table(rng, 2, 3, 4), grad=("weight",), corner=True),
    ),
)
