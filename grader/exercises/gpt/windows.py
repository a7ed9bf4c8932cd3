"""`gpt.windows`: pieces of a text, and the same one token later."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise

EXERCISE = Exercise(
    title="Cutting a text into windows",
    section="shift-once",
    cases=(
        Case("three pieces", lambda rng: _given(rng, [4, 0, 17], 5), 2),
        Case("they overlap", lambda rng: _given(rng, [3, 4, 3], 5)),
        Case("up to the end", lambda rng: _given(rng, [23, 1], 7)),
        Case("one token each", lambda rng: _given(rng, [29, 0, 8], 1)),
        Case("the whole text", lambda rng: _given(rng, [0], 30)),
        Case("on another device", lambda rng: _given(rng, [2], 3), probe="elsewhere"),
        Case("no piece", lambda rng: _given(rng, [], 5)),
        Case("beyond the end", lambda rng: _given(rng, [2, 24], 7), raises="ValueError"),
        Case("before the beginning", lambda rng: _given(rng, [5, -1, 3], 7), raises="ValueError"),
        Case("one of three is beyond", lambda rng: _given(rng, [2, 25, 3], 7), raises="ValueError"),
        Case("the first is before", lambda rng: _given(rng, [-2, 5, 3], 7), raises="ValueError"),
        Case("drawn", lambda rng: _given(rng, rng.integers(0, 18, 11), 13), hidden=True),
    ),
    hint="One index per entry: `starts[:, None] + torch.arange(span + 1)` makes a table of them.",
)


def _given(rng, starts, span):
    return {
        "tokens": rng.integers(0, 1000, 31),
        "starts": np.array(starts, dtype=np.int64),
        "span": span,
    }
