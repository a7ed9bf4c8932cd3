"""`transfer.prefix_mask`: between an encoder and a decoder."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise

EXERCISE = Exercise(
    title="A prefix that sees itself",
    section="one-stack-three-masks",
    cases=(
        Case("three rows", lambda rng: _given([2, 5, 3], 7), 2),
        Case("nothing is prefix", lambda rng: _given([0], 5)),
        Case("everything is", lambda rng: _given([5, 4], 5)),
        Case("one of one", lambda rng: _given([1, 0], 1)),
        Case("one row", lambda rng: _given([4], 6)),
        Case("on a device", lambda rng: _given([2, 5, 3], 7), probe="elsewhere"),
        Case("drawn", lambda rng: _given(rng.integers(0, 14, 11), 13), hidden=True),
    ),
    hint="Two conditions, either of which is enough. Mind on which axis the keys are.",
)


def _given(prefixes, longest):
    return {"prefixes": np.array(prefixes, dtype=np.int64), "longest": longest}
