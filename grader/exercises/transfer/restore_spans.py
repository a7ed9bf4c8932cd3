"""`transfer.restore_spans`: the spans put back."""

from __future__ import annotations

import numpy as np

from grader.author.afresh import changed
from grader.author.exercise import Case, Exercise


def _other(rng, read, asked, sentinel):
    """Other tokens, and sentinels that begin elsewhere."""
    token = np.concatenate([rng.permutation(sentinel), np.arange(sentinel, 40_000)])
    token[sentinel:] += rng.integers(1, 50)
    return {"read": token[read], "asked": token[asked], "sentinel": int(token[sentinel])}


EXERCISE = Exercise(
    title="Restoring corrupted spans",
    section="spans-cut-out",
    cases=(
        Case("two spans", lambda rng: _given([3, 90, 5, 0, 91, 2], [90, 11, 0, 91, 17, 92]), 2),
        Case("in another order", lambda rng: _given([90, 5, 91, 92], [92, 4, 4, 90, 91, 6])),
        Case("one is missing", lambda rng: _given([3, 90, 5, 91, 6], [91, 8, 1, 92])),
        Case("one is empty", lambda rng: _given([3, 90, 5, 91, 6], [90, 91, 8, 92]), corner=True),
        Case("answered twice", lambda rng: _given([90, 5, 91], [90, 1, 2, 91, 3, 90, 4, 6])),
        Case(
            "first with nothing",
            lambda rng: _given([90, 5, 91], [90, 91, 3, 90, 4, 6]),
            corner=True,
        ),
        Case("words before the first", lambda rng: _given([3, 90, 5], [8, 8, 90, 7, 91])),
        Case("words after the last", lambda rng: _given([3, 90, 5], [90, 7, 91, 6, 6])),
        Case("a sentinel of its own", lambda rng: _given([90, 5, 92, 4], [90, 1, 91, 2, 2, 92, 3])),
        Case(
            "far from the others", lambda rng: _given([3, 90, 5], [90, 7, 30_000, 6]), corner=True
        ),
        Case("on another device", lambda rng: _given([3, 90], [90, 1]), probe="elsewhere"),
        Case("no spans", lambda rng: _given([3, 1, 4], [90])),
        Case("nothing was written", lambda rng: _given([3, 90, 4], [])),
        Case("nothing is left", lambda rng: _given([90, 91], [92, 5]), corner=True),
        Case("one used twice", lambda rng: _given([90, 5, 90], [90, 1, 2]), corner=True),
        Case("other sentinels", lambda rng: _given([90, 50, 99, 51], [51, 1, 50, 2, 3], 50)),
        Case("a long text", lambda rng: _drawn(rng), hidden=True),
    ),
    hint=(
        "First read what was written into a dict: sentinel to list of tokens. Then walk through "
        "the text."
    ),
    afresh=changed(_other),
)


def _given(read, asked, sentinel=90):
    return {
        "read": np.array(read, dtype=np.int64),
        "asked": np.array(asked, dtype=np.int64),
        "sentinel": sentinel,
    }


def _drawn(rng):
    read = rng.integers(0, 90, 43)
    read[[3, 11, 17, 40]] = [90, 91, 92, 93]
    asked = rng.integers(0, 90, 29)
    asked[[2, 7, 8, 20, 25]] = [91, 93, 90, 92, 91]
    return _given(read, asked)
