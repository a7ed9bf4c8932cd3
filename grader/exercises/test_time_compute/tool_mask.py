"""`test_time_compute.tool_mask`: which tokens are the model's own?"""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise

EXERCISE = Exercise(
    title="The mask of a tool",
    section="tool-mask",
    cases=(
        Case("one call", lambda rng: _given([[1, 8, 4, 5, 9, 2, 3]]), 2),
        Case("several rows", lambda rng: _drawn(rng, 5, 11), 2),
        Case("two calls", lambda rng: _given([[1, 8, 4, 9, 2, 8, 5, 5, 9, 6]]), 2),
        Case("no call", lambda rng: _given([[1, 2, 3], [4, 5, 6]])),
        Case("cut off", lambda rng: _given([[1, 2, 8, 4, 5], [3, 1, 2, 6, 8]]), corner=True),
        Case("an empty result", lambda rng: _given([[1, 8, 9, 3, 8, 9]]), corner=True),
        Case("at the beginning", lambda rng: _given([[8, 4, 9, 2], [8, 9, 1, 2]]), corner=True),
        Case("other tokens", lambda rng: _given([[9, 3, 1, 8, 0, 9, 3]], result=3, close=0)),
        Case("many rows", lambda rng: _drawn(rng, 7, 13), hidden=True),
    ),
    hint=(
        "Before each token, count how many results were asked for and how many were closed: the "
        "tool writes as long as the first count is larger."
    ),
)


def _given(rows, *, result=8, close=9):
    return {"tokens": np.array(rows), "result": result, "close": close}


def _drawn(rng, rows, length):
    """Each row has one call or two, at other places."""
    tokens = rng.integers(0, 8, (rows, length))
    for row in tokens:
        begin = rng.integers(1, 4)
        end = begin + rng.integers(1, 4)
        row[begin], row[end] = 8, 9
        if rng.random() < 0.5:
            row[end + 1], row[end + 3] = 8, 9
    return _given(tokens)
