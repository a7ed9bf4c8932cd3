"""`transfer.prefix_mask`: between an encoder and a decoder."""

from __future__ import annotations

import numpy as np

from grader.author.afresh import changed
from grader.author.exercise import Case, Exercise


def _other(rng, prefixes, longest):
    """Longer rows; what is all prefix or none stays so."""
    more = int(rng.integers(1, 9))
    drawn = rng.integers(1, longest + more, len(prefixes))
    inside = np.where(prefixes == longest, longest + more, drawn)
    return {"prefixes": np.where(prefixes == 0, 0, inside), "longest": longest + more}


EXERCISE = Exercise(
    title="The mask of a prefix language model",
    section="one-stack-three-masks",
    cases=(
        Case("three rows", lambda rng: _given([2, 5, 3], 7), 2),
        Case("nothing is prefix", lambda rng: _given([0], 5), corner=True),
        Case("everything is", lambda rng: _given([5, 4], 5)),
        Case("one of one", lambda rng: _given([1, 0], 1), corner=True),
        Case("one row", lambda rng: _given([4], 6), corner=True),
        Case("on a device", lambda rng: _given([2, 5, 3], 7), probe="elsewhere"),
        Case("many rows", lambda rng: _given(rng.integers(0, 4, 67), 3), budget=60),
        Case("drawn", lambda rng: _given(rng.integers(0, 14, 11), 13), hidden=True),
    ),
    hint="Two conditions, either of which is enough. Mind on which axis the keys are.",
    afresh=changed(_other),
)


def _given(prefixes, longest):
    return {"prefixes": np.array(prefixes, dtype=np.int64), "longest": longest}
