"""`bert.pack_pair`: two texts in one row."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise
from grader.exercises.bert import tuples

EXERCISE = Exercise(
    title="Packing a pair of texts into one row",
    section="bert-rows",
    cases=(
        Case("it fits", lambda rng: _given(rng, 5, 3, 16), 2),
        Case("it fits exactly", lambda rng: _given(rng, 5, 3, 11) | {"cls": 507, "sep": 503}),
        Case("one too many", lambda rng: _given(rng, 3, 6, 11)),
        Case("the first is too long", lambda rng: tuples(_given(rng, 13, 4, 12))),
        Case("one text", lambda rng: _given(rng, 5, None, 16), 2),
        Case("one text, too long", lambda rng: _given(rng, 9, None, 7)),
        Case("one text, room for one token", lambda rng: _given(rng, 4, None, 3), corner=True),
        Case("one text, with little to spare", lambda rng: tuples(_given(rng, 6, None, 10))),
        Case("one text, exactly", lambda rng: {"calls": [_given(rng, 5, None, 7)]}, probe="calls"),
        Case("a second text without a token", lambda rng: _given(rng, 5, 0, 16)),
        Case("a first text without a token", lambda rng: _given(rng, 0, 4, 16)),
        Case("room for the special ones alone", lambda rng: _given(rng, 4, 2, 3), corner=True),
        Case("no token at all", lambda rng: _given(rng, 0, None, 3)),
        Case("both too long", lambda rng: _given(rng, 9, 8, 14)),
        Case("both much too long", lambda rng: _given(rng, 31, 29, 20), hidden=True),
        Case(
            "other numbers", lambda rng: _given(rng, 4, 7, 12) | {"cls": 0, "sep": 1}, hidden=True
        ),
    ),
    hint=(
        "Reserve places for the special tokens first: three for a pair, two for one text. The "
        "texts share the rest."
    ),
    needs=("truncate_pair",),
)


def _given(rng, first, second, longest):
    return {
        "first": rng.integers(2, 500, first).tolist(),
        "second": None if second is None else rng.integers(2, 500, second).tolist(),
        "cls": 501,
        "sep": 502,
        "longest": longest,
    }
