"""`tokenization.count_pairs`: how often each pair of tokens occurs."""

from __future__ import annotations

from grader.author.afresh import tokens
from grader.author.exercise import Case, Exercise
from grader.exercises.tokenization import COUNTS, WORDS, drawn

EXERCISE = Exercise(
    title="Counting pairs",
    section="merging-pairs",
    cases=(
        Case("a few words", lambda rng: {"words": list(WORDS), "counts": list(COUNTS)}, 2),
        Case("each word once", lambda rng: {"words": list(WORDS), "counts": [1] * len(WORDS)}),
        Case(
            "one token over and over",
            lambda rng: {"words": [[7] * 5, [7, 7]], "counts": [2, 3]},
            corner=True,
        ),
        Case("the same word twice", lambda rng: {"words": [[1, 300], [1, 300]], "counts": [3, 5]}),
        Case("no pair", lambda rng: {"words": [[3], []], "counts": [5, 2]}, corner=True),
        Case("no words", lambda rng: {"words": [], "counts": []}, corner=True),
        Case("drawn words", lambda rng: drawn(rng)),
        Case("more drawn words", lambda rng: drawn(rng, words=29, kinds=3), hidden=True),
    ),
    hint="`zip(word, word[1:])` walks through the neighbors of one word.",
    afresh=tokens("words"),
)
