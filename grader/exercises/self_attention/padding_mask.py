"""`self_attention.padding_mask`: no look at the padding."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from grader.author.exercise import Case, Exercise


def _longer(call, rng):
    """Longer rows; the longest stay the longest."""
    more = int(rng.integers(1, 9))

    def other(lengths, longest):
        drawn = rng.integers(1, longest + more, len(lengths))
        inside = np.where(lengths == longest, longest + more, drawn)
        return {"lengths": np.where(lengths == 0, 0, inside), "longest": longest + more}

    if "calls" in call.args:
        return replace(call, args={"calls": [other(**given) for given in call.args["calls"]]})
    return replace(call, args=other(**call.args))


EXERCISE = Exercise(
    title="The padding mask",
    section="masks",
    hint=(
        "Compare the position of each key with the length of its sequence, by broadcasting (B, 1) "
        "against (T,); then insert the axis of the queries."
    ),
    cases=(
        Case("three sequences", lambda rng: {"lengths": np.array([3, 5, 2]), "longest": 5}),
        Case("padded further", lambda rng: {"lengths": np.array([2, 7]), "longest": 11}),
        Case("no sequence", lambda rng: {"lengths": np.zeros(0, int), "longest": 3}),
        Case(
            "an empty sequence",
            lambda rng: {"lengths": np.array([3, 0]), "longest": 3},
            corner=True,
        ),
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
            "on another device",
            lambda rng: {"lengths": np.array([3, 5, 2]), "longest": 5},
            probe="elsewhere",
        ),
        Case(
            "many sequences",
            lambda rng: {"lengths": rng.integers(0, 14, 7), "longest": 13},
            hidden=True,
        ),
        Case(
            "one sequence",
            lambda rng: {"lengths": np.array([2]), "longest": 3},
            corner=True,
        ),
    ),
    afresh=_longer,
)
