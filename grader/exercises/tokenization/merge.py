"""`tokenization.merge`: one token in place of two."""

from __future__ import annotations

from grader.author.afresh import digits
from grader.author.exercise import Case, Exercise, Made

EXERCISE = Exercise(
    title="Merging a pair",
    section="merging-pairs",
    cases=(
        Case("a pair in the middle", lambda rng: _given([3, 5, 7, 9]), 2),
        Case("a tuple of tokens", lambda rng: _sequence([5, 7, 3, 5, 7])),
        Case("one after the other", lambda rng: _given([0, 7, 0, 7, 0], [0, 7])),
        Case("not there", lambda rng: _given([7, 5, 5, 3])),
        Case("an odd run", lambda rng: _given([7, 7, 7, 7, 7], [7, 7])),
        Case("an even run", lambda rng: _given([2, 7, 7, 7, 7, 2], [7, 7])),
        Case("a pair that is a tuple", lambda rng: _tuple([3, 5, 7, 9]), corner=True),
        Case("numbers that end and begin alike", lambda rng: _given([15, 7, 5, 71, 5, 7, 15, 71])),
        Case("as new as half of the pair", lambda rng: _given([5, 7, 7, 5, 7], new=5), corner=True),
        Case("no token", lambda rng: _given([])),
        Case("half of it at the end", lambda rng: _given([3, 5])),
        Case("the pair as it was merged", lambda rng: _given([300, 7, 300, 7], [300, 7], 301)),
        Case("1,500 tokens", lambda rng: _given([7, 5, 3] * 500), corner=True),
        Case(
            "drawn tokens", lambda rng: _given(rng.integers(0, 3, 41).tolist(), [1, 0]), hidden=True
        ),
    ),
    hint=(
        "Let an index walk through the tokens: by two where the pair stands, by one where not. At "
        "the last token there is nothing to its right."
    ),
    afresh=digits("tokens", "pair", "items", "new"),
)


def _given(tokens, pair=(5, 7), new=256):
    return {"tokens": tokens, "pair": list(pair), "new": new}


def _tuple(tokens):
    return {**_given(tokens), "pair": Made("tuple", {"items": [5, 7]})}


def _sequence(tokens):
    return _given(Made("tuple", {"items": tokens}))
