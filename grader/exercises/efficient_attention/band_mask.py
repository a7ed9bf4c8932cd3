"""`efficient_attention.band_mask`: who sees whom when the queries are the last of the keys."""

from __future__ import annotations

from grader.author.afresh import changed
from grader.author.exercise import Case, Exercise


def _sizes(queries, keys, **window):
    return {"queries": queries, "keys": keys, **window}


def _other(rng, queries, keys, window=None, **_):
    """More of both; a window that fits stays one."""
    more, past = (int(number) for number in rng.integers(1, 9, 2))
    queries, past = queries + more * (queries > 1), past * (keys > queries)
    wider = {} if window in (None, 1) else {"window": window + more + past}
    return {"queries": queries, "keys": keys + more + past, **wider}


EXERCISE = Exercise(
    title="The mask of a sliding window",
    section="cache",
    cases=(
        Case("all positions ask", lambda rng: _sizes(5, 5)),
        Case("the last three of eleven", lambda rng: _sizes(3, 11), 2),
        Case("the last one", lambda rng: _sizes(1, 7)),
        Case("a window of three", lambda rng: _sizes(7, 7, window=3), 2),
        Case("a window, and a past", lambda rng: _sizes(3, 11, window=5), 2),
        Case("a window of one", lambda rng: _sizes(5, 7, window=1), corner=True),
        Case("a window beyond the start", lambda rng: _sizes(3, 5, window=13), corner=True),
        Case("a window one short of all", lambda rng: _sizes(7, 7, window=6)),
        Case("a window one short, and a past", lambda rng: _sizes(3, 7, window=6), corner=True),
        Case("nobody asks", lambda rng: _sizes(0, 3), corner=True),
        Case("more queries than keys", lambda rng: _sizes(5, 3), raises="ValueError"),
        Case(
            "more queries than keys, in a window",
            lambda rng: _sizes(5, 3, window=2),
            raises="ValueError",
        ),
        Case("on a device", lambda rng: _sizes(3, 5, window=2, device="meta"), corner=True),
        Case("another window", lambda rng: _sizes(7, 13, window=4), hidden=True),
        Case("as many keys as the window", lambda rng: _sizes(1, 5, window=5), hidden=True),
    ),
    hint=(
        "Write the position of each query as a column and that of each key as a row. The mask is "
        "then two comparisons."
    ),
    afresh=changed(_other),
)
