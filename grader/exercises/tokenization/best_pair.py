"""`tokenization.best_pair`: which pair is merged next."""

from __future__ import annotations

from grader.author.afresh import tokens
from grader.author.exercise import Case, Exercise
from grader.exercises.tokenization import COUNTS, WORDS, drawn

EXERCISE = Exercise(
    title="Choosing the pair to merge",
    section="merging-pairs",
    cases=(
        Case("a few words", lambda rng: {"words": list(WORDS), "counts": list(COUNTS)}, 2),
        Case("two are equal", lambda rng: {"words": [[9, 1], [3, 8]], "counts": [4, 4]}),
        Case("in either order", lambda rng: _either(), probe="calls"),  # tells a list from a tuple
        Case(
            "three are equal",
            lambda rng: {"words": [[3, 908], [9, 1], [5, 2]], "counts": [4] * 3},
            corner=True,
        ),
        Case(
            "one frequent word",
            lambda rng: {"words": [[3, 4], [8, 2], [3, 4]], "counts": [1, 9, 1]},
        ),
        Case(
            "a word that is listed twice",
            lambda rng: {"words": [[3, 4], [8, 2], [3, 4]], "counts": [4, 5, 4]},
            corner=True,
        ),
        Case(
            "the same first token",
            lambda rng: {"words": [[3, 8], [3, 10], [3, 9]], "counts": [2] * 3},
        ),
        Case(
            "the same first token, later",
            lambda rng: {"words": [[3, 10], [5, 1], [3, 8]], "counts": [2] * 3},
        ),
        Case(
            "one token over and over",
            lambda rng: {"words": [[1, 2], [7] * 4], "counts": [2, 1]},
            corner=True,
        ),
        Case("no pair", lambda rng: {"words": [[3], []], "counts": [5, 2]}, corner=True),
        Case("one pair", lambda rng: {"words": [[256, 3]], "counts": [1]}, corner=True),
        Case("drawn words", lambda rng: drawn(rng, words=3, kinds=3)),
        Case("other drawn words", lambda rng: drawn(rng, words=4, kinds=4), hidden=True),
    ),
    hint=(
        "`max(found, key=found.get)` decides between equals by which came first. A key that is a "
        "tuple, such as `(-count, pair)`, decides by its second entry where the first is equal."
    ),
    needs=("count_pairs",),
    afresh=tokens("words"),
)


def _either():
    """Two words, as a case has them, and the other way round."""
    words = [[3, 8], [9, 1]]
    return {"calls": [{"words": some, "counts": [4, 4]} for some in (words, words[::-1])]}
