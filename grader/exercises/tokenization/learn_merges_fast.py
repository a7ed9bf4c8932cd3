"""`tokenization.learn_merges_fast`: the same merges for a hundredth of the work."""

from __future__ import annotations

from grader.author.afresh import tokens
from grader.author.exercise import Case, Exercise, Made
from grader.exercises.tokenization import COUNTS, TWICE, WORDS, drawn

WORDS_MERGED, WORDS_KEPT = 30, 1_500

EXERCISE = Exercise(
    title="Training byte-pair encoding, incrementally",
    section="counting-less",
    cases=(
        Case(
            "three merges",
            lambda rng: {"words": list(WORDS), "counts": list(COUNTS), "number": 3},
        ),
        Case(
            "until no pair is left", lambda rng: {"words": [[1, 2, 3]], "counts": [1], "number": 9}
        ),
        Case(
            "one token over and over",
            lambda rng: {"words": [[7] * 9], "counts": [1], "number": 4},
            corner=True,
        ),
        Case(
            "none",
            lambda rng: {"words": list(WORDS), "counts": list(COUNTS), "number": 0},
            corner=True,
        ),
        Case("drawn words", lambda rng: drawn(rng) | {"number": 40}),
        Case("few kinds of tokens", lambda rng: drawn(rng, words=23, kinds=2) | {"number": 25}),
        Case(
            "many words, few of them touched",
            lambda rng: _wide(rng) | {"number": 40},
            3,
            budget=60_000,
            corner=False,
        ),
        Case(
            "a word that is listed twice, and one without tokens",
            lambda rng: dict(TWICE),
            corner=True,
        ),
        Case("more drawn words", lambda rng: drawn(rng, words=31) | {"number": 40}, hidden=True),
    ),
    hint=(
        "Take the counts of the old pairs of a word off, merge, and put the counts of its new "
        "pairs on. A pair's count may have changed since it went into the heap: compare, and pass "
        "over it."
    ),
    needs=("count_pairs", "merge"),
    afresh=tokens("words"),
)


def _wide(rng):
    """Many words of two tokens that are never merged, and few that are: counting all of them again
    at each merge is costly, and so is looking through all of them for the pair.
    """
    words = [rng.integers(4, 34, 6).tolist() for _ in range(WORDS_MERGED)]
    often = rng.integers(WORDS_KEPT, 2 * WORDS_KEPT, WORDS_MERGED).tolist()
    words += rng.integers(0, 4, (WORDS_KEPT, 2)).tolist()
    return {"words": Made("words", {"words": words}), "counts": often + [1] * WORDS_KEPT}
