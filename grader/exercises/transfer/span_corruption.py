"""`transfer.span_corruption`: what T5 is pretrained on."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise
from grader.exercises.transfer import text, tuples

EXERCISE = Exercise(
    title="Span corruption",
    section="spans-cut-out",
    cases=(
        Case("two spans", lambda rng: _given(rng, 11, [2, 8], [2, 1]), 2),
        Case("three spans", lambda rng: _given(rng, 23, [1, 7, 15], [3, 5, 2]), 2),
        Case("spans that touch", lambda rng: _given(rng, 17, [3, 9, 11], [2, 2, 1])),
        Case("all three touch", lambda rng: _given(rng, 17, [3, 5, 9], [2, 4, 3])),
        Case("one token between", lambda rng: _given(rng, 13, [2, 5, 10], [2, 4, 1]), corner=True),
        Case("from the beginning", lambda rng: tuples(_given(rng, 13, [0, 5], [2, 3]))),
        Case("up to the end", lambda rng: _given(rng, 13, [4, 11], [3, 2])),
        Case("the whole text", lambda rng: _given(rng, 7, [0], [7])),
        Case("no spans", lambda rng: _given(rng, 5, [], [])),
        Case("other sentinels", lambda rng: _given(rng, 13, [1, 6], [2, 3], sentinel=977)),
        Case("they overlap", lambda rng: _given(rng, 13, [2, 4], [3, 2]), raises="ValueError"),
        Case("an empty span", lambda rng: _given(rng, 13, [2, 6], [3, 0]), raises="ValueError"),
        Case("beyond the end", lambda rng: _given(rng, 13, [2, 11], [3, 3]), raises="ValueError"),
        Case("before the text", lambda rng: _given(rng, 13, [-2], [3]), raises="ValueError"),
        Case("on another device", lambda rng: _given(rng, 5, [2], [1]), probe="elsewhere"),
        Case("one token", lambda rng: _given(rng, 1, [0], [1]), corner=True),
        Case(
            "many spans",
            lambda rng: _given(rng, 61, [0, 4, 9, 20, 22, 40], [1, 3, 2, 2, 7, 13]),
            hidden=True,
        ),
    ),
    hint=(
        "Walk from span to span and keep where the last one ended. Each step adds to both texts: "
        "what lies between and a sentinel to the one, a sentinel and the span to the other."
    ),
    returns=("what is read", "what is asked"),
)


def _given(rng, length, starts, lengths, sentinel=100):
    return {
        "tokens": text(rng, length),
        "starts": starts,
        "lengths": lengths,
        "sentinel": sentinel,
    }
