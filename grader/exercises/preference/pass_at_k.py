"""`preference.pass_at_k`: one of k is right."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise

EXERCISE = Exercise(
    title="Pass@k",
    section="pass-at-k",
    cases=(
        Case("three of ten", lambda rng: _given(rng.integers(1, 7, 4), 10, 3), 2),
        Case("one sample", lambda rng: _given(rng.permutation(10)[:5], 9, 1), 2),
        Case("none and all right", lambda rng: _given([0, 17, *rng.integers(1, 17, 3)], 17, 4)),
        Case("fewer wrong than k", lambda rng: _given(16 - rng.permutation(7), 16, 5), corner=True),
        Case("all samples", lambda rng: _given(rng.integers(0, 3, 6), 6, 6), corner=True),
        Case("two axes", lambda rng: _given(rng.integers(0, 13, (2, 3)), 12, 5)),
        Case("one prompt", lambda rng: _given(rng.integers(1, 30, 1), 37, 3), corner=True),
        Case("no axis", lambda rng: _given(rng.integers(1, 50), 61, 4), corner=True),
        Case(
            "thousands of samples",
            lambda rng: _given(rng.integers(1, 60, 4), 4000, 300),
            corner=True,
        ),
        Case("rarely right", lambda rng: _given(rng.integers(1, 99, 2), 10**6, 2), corner=True),
        Case("more than there are", lambda rng: _given([1, 3], 5, 6), raises="ValueError"),
        Case("no sample", lambda rng: _given([1, 3], 5, 0), raises="ValueError"),
        Case("fifty", lambda rng: _given(rng.integers(0, 51, 9), 50, 7), hidden=True),
    ),
    hint=(
        "Choose k of the n samples, one after another, without putting any back: what is the "
        "probability that each is wrong?"
    ),
)


def _given(right, samples, k):
    return {"right": np.array(right, dtype=np.int64), "samples": samples, "k": k}
