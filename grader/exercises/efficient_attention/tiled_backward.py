"""`efficient_attention.tiled_backward`: gradients from weights that are computed again."""

from __future__ import annotations

from grader.author.exercise import AUTOGRAD, Case, Exercise
from grader.exercises.efficient_attention import READY_MADE, attended


def _default(given):
    """Without a word on causality."""
    return {name: value for name, value in given.items() if name != "causal"}


# Six tiles: rows, columns or all of the table are larger than a tile, two tiles side by side too.
_HELD = {"queries": 16, "keys": 24, "d_k": 1, "d_v": 1, "block": 8}

EXERCISE = Exercise(
    title="FlashAttention: the backward pass in tiles",
    section="tiled-backward",
    cases=(
        Case("one tile", lambda rng: attended(rng, queries=5, keys=7, block=11), 2),
        Case("many tiles", lambda rng: _default(attended(rng, 2, queries=6, keys=9, block=3)), 2),
        Case("tiles that do not fit", lambda rng: attended(rng, 2, 3, queries=7, block=4)),
        Case(
            "tiles of one score", lambda rng: attended(rng, queries=3, keys=5, block=1), corner=True
        ),
        Case("one query", lambda rng: attended(rng, 1, queries=1, block=3), corner=True),
        Case("causal", lambda rng: attended(rng, 2, block=4, causal=True), 2),
        Case("causal, one tile", lambda rng: attended(rng, queries=5, block=11, causal=True)),
        Case(
            "causal, the last queries",
            lambda rng: attended(rng, 2, queries=5, keys=13, block=3, causal=True),
        ),
        Case("large scores", lambda rng: attended(rng, size=3.0, block=4), corner=True),
        Case(
            "scores of eight hundred, and of minus eight hundred",
            lambda rng: attended(rng, 2, block=4, common=38.0),
        ),
        Case(
            "a future of large scores",
            lambda rng: attended(rng, block=4, causal=True, last=3e3),
        ),
        Case("in float32", lambda rng: attended(rng, block=4), dtype="float32"),
        Case(
            "on another device",
            lambda rng: attended(rng, queries=2, keys=3, d_k=2, d_v=1, block=2, causal=True),
            probe="elsewhere",
        ),
        Case(
            "what it holds",
            lambda rng: attended(rng, **_HELD, causal=True),
            3,
            most={"largest": 100},
        ),
        Case(
            "no table",
            lambda rng: attended(rng, **_HELD | {"d_k": 3, "d_v": 3}),
            most={"largest": 300},
            corner=False,
        ),
        Case(
            "what it holds, all keys",
            lambda rng: attended(rng, **_HELD),
            most={"largest": 100},
        ),
        Case("causal, heads", lambda rng: attended(rng, 3, 2, block=5, causal=True), hidden=True),
    ),
    hint=(
        "exp(score − log_total) is the weight itself: no second softmax. r is one number "
        "per query, "
        "over all keys; compute it before the tiles. Every tile *adds* to three gradients."
    ),
    forbidden=(*READY_MADE, *AUTOGRAD),
    returns=("the gradient of query", "the gradient of key", "the gradient of value"),
)
