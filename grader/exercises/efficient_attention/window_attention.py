"""`efficient_attention.window_attention`: the last few positions, and no table."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.efficient_attention import READY_MADE, long, triple

_ALL = ("query", "key", "value")
_COST = {"largest": 3_000, "multiply_adds": 20_000, "written": 24_000}


def _far_below(rng):
    """Every score is near −10¹⁰, and no two are near each other."""
    made = triple(rng, 2, window=3)
    signs = {"query": 1e5, "key": -1e5}
    return {**made, **{name: sign * (0.5 + np.abs(made[name])) for name, sign in signs.items()}}


def _zero_keys(rng):
    """Keys that look like padding, and are none: their score is 0, and counts."""
    made = triple(rng, 2, window=4)
    made["key"][..., 1::3, :] = 0.0
    return made


EXERCISE = Exercise(
    title="Sliding-window attention",
    section="window",
    cases=(
        Case(
            "a window that divides",
            lambda rng: triple(rng, 2, queries=12, keys=12, window=3),
            2,
            grad=_ALL,
        ),
        Case(
            "a window that does not",
            lambda rng: triple(rng, 2, 3, queries=9, keys=9, window=4),
            2,
            grad=_ALL,
        ),
        Case("a window of one", lambda rng: triple(rng, window=1), grad=_ALL, corner=True),
        Case("a window of two", lambda rng: triple(rng, 2, queries=7, keys=7, window=2), grad=_ALL),
        Case("the window is the text", lambda rng: triple(rng, 2, window=11), grad=_ALL),
        Case(
            "a window beyond the text",
            lambda rng: triple(rng, queries=3, keys=3, d_k=11, d_v=1, window=17),
            grad=_ALL,
            corner=True,
        ),
        Case(
            "one position",
            lambda rng: triple(rng, queries=1, keys=1, window=3),
            grad=("value",),
            corner=True,
        ),
        Case("large scores", lambda rng: triple(rng, size=9.0, window=3), grad=_ALL, corner=True),
        Case("scores far below zero", _far_below),
        Case("keys of zeros", _zero_keys, grad=_ALL),
        Case("in float32", lambda rng: triple(rng, window=4), dtype="float32"),
        Case(
            "on another device",
            lambda rng: triple(rng, queries=3, keys=3, d_k=2, d_v=1, window=2),
            probe="elsewhere",
        ),
        Case("what it holds", lambda rng: long(rng, window=4), 3, most=_COST, corner=False),
        Case(
            "what it holds, a window far beyond the text",
            lambda rng: triple(rng, queries=5, keys=5, window=300),
            most={"largest": 10_000},
        ),
        Case(
            "another window",
            lambda rng: triple(rng, 2, queries=17, keys=17, window=5),
            grad=_ALL,
            hidden=True,
        ),
    ),
    hint=(
        "Cut queries and keys into blocks as long as the window: a query sees keys of its block "
        "and of the one before, so 2 · window columns are enough. What comes before the first "
        "block?"
    ),
    forbidden=READY_MADE,
    needs=("band_mask",),
)
