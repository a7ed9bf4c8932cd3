"""`tokenization.learn_merges`: training, as plainly as it is written."""

from __future__ import annotations

from grader.author.afresh import tokens
from grader.author.exercise import Case, Exercise
from grader.exercises.tokenization import COUNTS, TWICE, WORDS, drawn

EXERCISE = Exercise(
    title="Training byte-pair encoding",
    section="merging-pairs",
    cases=(
        Case(
            "three merges",
            lambda rng: {"words": list(WORDS), "counts": list(COUNTS), "number": 3},
            3,
        ),
        Case(
            "none",
            lambda rng: {"words": list(WORDS), "counts": list(COUNTS), "number": 0},
            corner=True,
        ),
        Case(
            "until no pair is left", lambda rng: {"words": [[1, 2, 3]], "counts": [1], "number": 9}
        ),
        Case(
            "one token over and over",
            lambda rng: {"words": [[7] * 9], "counts": [1], "number": 4},
            corner=True,
        ),
        Case("drawn words", lambda rng: drawn(rng) | {"number": 23}, 2),
        Case(
            "nothing to merge",
            lambda rng: {"words": [[3], []], "counts": [2, 1], "number": 5},
            corner=True,
        ),
        Case(
            "a word that is listed twice, and one without tokens",
            lambda rng: dict(TWICE),
            corner=True,
        ),
        Case("more drawn words", lambda rng: drawn(rng, words=31) | {"number": 40}, hidden=True),
    ),
    hint=(
        "Count, choose, merge in every word, and begin again. The first merge makes token 256, the "
        "next 257: `256 + len(merges)`."
    ),
    needs=("count_pairs", "best_pair", "merge"),
    afresh=tokens("words"),
)
