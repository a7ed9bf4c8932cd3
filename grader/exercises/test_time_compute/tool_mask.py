"""`test_time_compute.tool_mask`: which tokens are the model's own?"""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise

EXERCISE = Exercise(
    title="The mask of a tool",
    section="tool-mask",
    cases=(
        Case("one call", lambda rng: _drawn(rng, 1, 7, calls=1), 2),
        Case("several rows", lambda rng: _drawn(rng, 5, 11), 2),
        Case("two calls", lambda rng: _drawn(rng, 2, 13, calls=2), 2),
        Case("no call", lambda rng: _drawn(rng, 2, 3, calls=0)),
        Case("cut off", lambda rng: _cut(rng), corner=True),
        Case("an empty result", lambda rng: _given([[1, 8, 9, 3, 8, 9]]), corner=True),
        Case("at the beginning", lambda rng: _given([[8, 4, 9, 2], [8, 9, 1, 2]]), corner=True),
        Case("other tokens", lambda rng: _drawn(rng, 2, 11, result=0, close=3)),
        Case("many rows", lambda rng: _drawn(rng, 7, 13), hidden=True),
    ),
    hint=(
        "Before each token, count how many results were asked for and how many were closed: the "
        "tool writes as long as the first count is larger."
    ),
)


def _given(rows, *, result=8, close=9):
    return {"tokens": np.array(rows), "result": result, "close": close}


def _drawn(rng, rows, length, *, calls=None, result=8, close=9):
    """Each row has as many calls, or one or two, at other places."""
    tokens = rng.integers(4, 8, (rows, length))
    for row in tokens:
        begin = 0
        for _ in range(rng.integers(1, 3) if calls is None else calls):
            begin = begin + rng.integers(1, 3)
            end = begin + rng.integers(1, 4)
            row[begin], row[end] = result, close
            begin = end
    return _given(tokens, result=result, close=close)


def _cut(rng):
    given = _drawn(rng, 3, 8, calls=1)
    given["tokens"][0, 6] = given["tokens"][2, 7] = 8
    return given
