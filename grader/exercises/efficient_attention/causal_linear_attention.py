"""`efficient_attention.causal_linear_attention`: parallel in a block, recurrent between blocks."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise
from grader.exercises.efficient_attention import READY_MADE, far, triple

_ALL = ("query", "key", "value")


def _lower(rng):
    """Queries and keys near −15: a divisor is near 10⁻¹³, and what is added to it shows."""
    made = triple(rng, 2, size=0.3, block=4)
    return {**made, "query": made["query"] - 15, "key": made["key"] - 15}


EXERCISE = Exercise(
    title="Causal linear attention in chunks",
    section="as-a-recurrence",
    cases=(
        Case("one block", lambda rng: triple(rng, 2), 2, grad=_ALL),
        Case(
            "blocks that fit",
            lambda rng: triple(rng, 2, queries=12, keys=12, block=3),
            2,
            grad=_ALL,
        ),
        Case("blocks that do not fit", lambda rng: triple(rng, 2, 3, block=4), grad=_ALL),
        Case(
            "blocks of one",
            lambda rng: triple(rng, 2, queries=7, keys=7, block=1),
            grad=_ALL,
            corner=True,
        ),
        Case("a block beyond the end", lambda rng: triple(rng, block=13), grad=_ALL, corner=True),
        Case(
            "all sizes alike",
            lambda rng: triple(rng, queries=6, keys=6, d_k=3, d_v=3, block=3),
            grad=_ALL,
        ),
        Case(
            "one position", lambda rng: triple(rng, queries=1, keys=1), grad=("value",), corner=True
        ),
        Case("large", lambda rng: triple(rng, size=5.0, block=5), grad=_ALL, corner=True),
        Case("features near zero", lambda rng: _lower(rng), corner=True),
        Case(
            "features far above zero",
            lambda rng: far(triple(rng, 2, block=4)),
            grad=_ALL,
            corner=True,
        ),
        Case("in float32", lambda rng: triple(rng, block=4), dtype="float32"),
        Case(
            "on another device",
            lambda rng: triple(rng, queries=3, keys=3, d_k=1, d_v=2, block=2),
            probe="elsewhere",
        ),
        Case(
            "what it holds, short and wide",
            lambda rng: triple(rng, queries=16, keys=16, d_k=13, d_v=17, block=4),
            most={"largest": 1_000},
        ),
        Case(
            "what it holds",
            lambda rng: triple(rng, 2, queries=40, keys=40, block=8),
            3,
            most={"largest": 1_000},
            corner=False,
        ),
        Case(
            "what it holds, blocks that do not fit",
            lambda rng: triple(rng, queries=35, keys=35, block=8),
            most={"largest": 500},
        ),
        Case(
            "more blocks",
            lambda rng: triple(rng, 3, queries=17, keys=17, block=5),
            grad=_ALL,
            hidden=True,
        ),
    ),
    hint=(
        "Each output has two parts: the state left by all earlier blocks, and the block itself, a "
        "small square of scores with the future set to zero. Only then add the block to the state."
    ),
    forbidden=READY_MADE,
    needs=("linear_attention_step",),
)
