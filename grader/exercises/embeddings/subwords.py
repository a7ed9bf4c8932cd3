"""`embeddings.subwords`: the pieces of a word."""

from __future__ import annotations

from grader.author.afresh import letters
from grader.author.exercise import Case, Exercise

EXERCISE = Exercise(
    title="Subwords: the character n-grams of a word",
    section="successors",
    hint=(
        "`marked[i : i + n]` is the piece of n letters at i. At how many positions can a piece "
        "of n letters start in a word of T letters? `dict.fromkeys` keeps the first of equal "
        "keys, in order."
    ),
    cases=(
        Case("where", lambda rng: {"word": "where"}, 2),
        Case("of three letters only", lambda rng: {"word": "where", "longest": 3}),
        Case("short pieces", lambda rng: {"word": "tuple", "shortest": 1, "longest": 2}, 2),
        Case("pieces that repeat", lambda rng: {"word": "banana", "shortest": 2, "longest": 4}, 2),
        Case("shorter than the shortest", lambda rng: {"word": "a", "shortest": 4}),
        Case("as long as the longest", lambda rng: {"word": "list"}),
        Case("one letter", lambda rng: {"word": "x"}, corner=True),
        Case("no letter", lambda rng: {"word": "", "shortest": 2}),
        Case(
            "brackets inside",
            lambda rng: {"word": "<unk>", "shortest": 2, "longest": 3},
            corner=True,
        ),
        Case("capitals", lambda rng: {"word": "ValueError", "longest": 4}),
        Case(
            "other letters", lambda rng: {"word": "größe", "shortest": 4, "longest": 5}, corner=True
        ),
        Case("a long word", lambda rng: {"word": "unicodedecodeerror"}, hidden=True),
    ),
    afresh=letters,
)
