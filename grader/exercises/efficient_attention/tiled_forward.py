"""`efficient_attention.tiled_forward`: exact attention without the table of scores."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise
from grader.exercises.efficient_attention import READY_MADE, lowest, triple

# Six tiles: rows, columns or all of the table are larger than a tile, two tiles side by side too.
_HELD = {"queries": 16, "keys": 24, "d_k": 1, "d_v": 1, "block": 8}

EXERCISE = Exercise(
    title="FlashAttention: the forward pass in tiles",
    section="tiles",
    cases=(
        Case("one tile", lambda rng: triple(rng, queries=5, keys=7, block=11)),
        Case("many tiles", lambda rng: triple(rng, 2, queries=6, keys=9, block=3), 2),
        Case(
            "tiles that do not fit", lambda rng: triple(rng, 2, 3, queries=7, keys=11, block=4), 2
        ),
        Case(
            "tiles of one score", lambda rng: triple(rng, queries=3, keys=5, block=1), corner=True
        ),
        Case("scores of hundreds", lambda rng: triple(rng, size=30.0, block=4), corner=True),
        Case("causal", lambda rng: triple(rng, 2, block=4, causal=True), 2),
        Case(
            "causal, scores far below zero",
            lambda rng: lowest(triple(rng, 2, block=4, causal=True)),
            corner=True,
        ),
        Case("causal, one tile", lambda rng: triple(rng, 2, block=13, causal=True)),
        Case(
            "causal, the last queries",
            lambda rng: triple(rng, 2, queries=5, keys=13, block=3, causal=True),
            2,
        ),
        Case(
            "causal, tiles of one",
            lambda rng: triple(rng, queries=7, keys=7, block=1, causal=True),
            corner=True,
        ),
        Case("in float32", lambda rng: triple(rng, block=4, causal=True), dtype="float32"),
        Case(
            "on another device",
            lambda rng: triple(rng, queries=2, keys=3, d_k=2, d_v=1, block=2, causal=True),
            probe="elsewhere",
        ),
        Case(
            "no table",
            lambda rng: triple(rng, **_HELD | {"d_k": 3, "d_v": 3}),
            most={"largest": 300},
            corner=False,
        ),
        Case(
            "what it holds",
            lambda rng: triple(rng, **_HELD),
            3,
            most={"largest": 100},
            corner=False,
        ),
        Case(
            "what it holds, causal",
            lambda rng: triple(rng, **_HELD, causal=True),
            most={"largest": 100},
        ),
        Case(
            "tiles of four, small vectors",
            lambda rng: triple(rng, queries=8, keys=9, d_k=1, d_v=1, block=4),
            most={"largest": 30},
        ),
        Case(
            "one query after a text",
            lambda rng: triple(rng, 2, queries=1, keys=17, block=5, causal=True),
            hidden=True,
            corner=True,
        ),
    ),
    hint=(
        "Start with maximum −∞, total 0 and output 0 for all queries; `tiles` yields the rows and "
        "columns of each tile, and `absorb` adds a tile. Divide once, at the end."
    ),
    tolerance=1e-9,  # nothing stands beside the total in the divisor
    forbidden=READY_MADE,
    needs=("absorb",),
    returns=("the output", "the logarithm of the total"),
)
