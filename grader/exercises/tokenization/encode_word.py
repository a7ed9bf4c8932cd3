"""`tokenization.encode_word`: merges applied to a word that training never saw."""

from __future__ import annotations

from grader.author.afresh import tokens
from grader.author.exercise import Case, Exercise, Made

EXERCISE = Exercise(
    title="Encoding a new word",
    section="encoding",
    cases=(
        Case("in the order of training", lambda rng: _given([1, 2, 3], [(2, 3), (1, 2)]), 2),
        Case("the first of them first", lambda rng: _given([1, 2, 3], [(1, 2), (2, 3)])),
        Case("merges of merges", lambda rng: _given([1, 2, 3, 4], [(1, 2), (3, 4), (256, 257)]), 2),
        Case("twice in a word", lambda rng: _given([1, 2, 1, 2, 5, 1, 2], [(1, 2), (256, 5)])),
        Case(
            "one token over and over",
            lambda rng: _given([7] * 7, [(7, 7), (256, 256)]),
            corner=True,
        ),
        Case(
            "a longer token is there, and pairs are tuples",
            lambda rng: _tuples([1, 2, 3, 4], [(2, 3), (1, 256), (1, 2)]),
        ),
        Case(
            "a first merge of low rank late",
            lambda rng: _given([1, 2, 3, 4, 1, 2], [(3, 4), (256, 1), (1, 2), (258, 256)]),
        ),
        Case("more than 256 merges", lambda rng: _many(), corner=True),
        Case("no merges", lambda rng: _given([9, 8], [])),
        Case("places in a dict", lambda rng: _places([1, 2, 3], [(2, 3), (1, 2)])),
        Case(
            "a dict in another order",
            lambda rng: _places([1, 2, 3], [(2, 3), (1, 2)], step=-1),
            corner=True,
        ),
        Case("no tokens", lambda rng: _given([], [(1, 2)])),
        Case("drawn", lambda rng: _drawn(rng)),
        Case("drawn again", lambda rng: _drawn(rng), hidden=True),
    ),
    hint=(
        "Of all pairs in the word, which has the smallest place in `merges`? Merge it wherever it "
        "stands, and look again: new pairs have come up."
    ),
    needs=("merge",),
    afresh=tokens("tokens", "merges", "pairs", "items"),
)


def _given(tokens, merges):
    return {"tokens": tokens, "merges": [list(pair) for pair in merges]}


def _tuples(tokens, merges):
    """As `learn_merges` returns them."""
    return {"tokens": tokens, "merges": [Made("tuple", {"items": [*pair]}) for pair in merges]}


def _places(tokens, merges, step=1):
    """The places by pair; with a step of −1 the last one first."""
    pairs, numbers = [list(pair) for pair in merges][::step], [*range(len(merges))][::step]
    return {"tokens": tokens, "merges": Made("places", {"pairs": pairs, "numbers": numbers})}


def _many():
    """The last two of 290 merges are those that fit."""
    merges = [(left, right) for left in range(17) for right in range(17)]
    return _given([16, 15, 16, 16, 9], [*merges, (256 + 287, 256 + 288)])


def _drawn(rng):
    """Merges of which each could come from training: of tokens that are there by then."""
    merges: list[list[int]] = []
    while len(merges) < 12:
        kinds = [0, 1, 2, *range(256, 256 + len(merges))]
        pair = rng.choice(kinds, 2).tolist()
        if pair not in merges:
            merges.append(pair)
    return {"tokens": rng.integers(0, 3, 37).tolist(), "merges": merges}
