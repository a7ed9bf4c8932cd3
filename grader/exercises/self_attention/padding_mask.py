"""`self_attention.padding_mask`: no look at the padding."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise

EXERCISE = Exercise(
    title="No look at the padding",
    section="masks",
    hint=(
        "Compare the position of each key with the length of its sequence, by broadcasting "
        "(B, 1) against (T,); then put in the axis of the queries."
    ),
    cases=(
        Case("three sequences", lambda rng: {"lengths": np.array([3, 5, 2]), "longest": 5}),
        Case("padded further", lambda rng: {"lengths": np.array([2, 7]), "longest": 11}),
        Case("no sequence", lambda rng: {"lengths": np.zeros(0, int), "longest": 3}),
        Case("an empty sequence", lambda rng: {"lengths": np.array([3, 0]), "longest": 3}),
        Case(
            "longer than the batch",
            lambda rng: {"lengths": np.array([2, 7, 3]), "longest": 5},
            raises="ValueError",
        ),
        Case(
            "two batches of one size",
            lambda rng: {
                "calls": [
                    {"lengths": np.array(lengths), "longest": 5} for lengths in ([3, 5], [1, 4])
                ]
            },
            probe="calls",
        ),
        Case(
            "many sequences",
            lambda rng: {"lengths": rng.integers(0, 14, 7), "longest": 13},
            hidden=True,
        ),
        Case("one sequence", lambda rng: {"lengths": np.array([2]), "longest": 3}, hidden=True),
    ),
)
