"""`embeddings.one_hot`: a word as a vector."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.embeddings import B, V, _words

EXERCISE = Exercise(
    title="One-hot vectors",
    section="lookup",
    hint="Compare every number with `torch.arange(words)`; broadcasting makes the new axis.",
    forbidden=("F.one_hot", "nn.functional.one_hot"),
    cases=(
        Case("a list of words", lambda rng: {"input": _words(rng, 5, words=7), "words": 9}),
        Case("a batch", lambda rng: {"input": _words(rng, 2, 3, words=7), "words": 7}),
        Case(
            "on another device",
            lambda rng: {"input": _words(rng, B), "words": V},
            probe="elsewhere",
        ),
        Case(
            "where the default float is float64",
            lambda rng: {"input": _words(rng, 3, words=5), "words": 5},
            probe="defaults",
        ),
        Case(
            "a single word",
            lambda rng: {"input": np.array(rng.integers(V)), "words": V},
            corner=True,
        ),
        Case(
            "words at the end missing",
            lambda rng: {"input": rng.integers(5, size=7), "words": 13},
            hidden=True,
        ),
        Case("no word", lambda rng: {"input": _words(rng, 0, 3), "words": V}, corner=True),
        Case(
            "three axes",
            lambda rng: {"input": _words(rng, 2, 1, 3, words=4), "words": 4},
            corner=True,
        ),
    ),
)
