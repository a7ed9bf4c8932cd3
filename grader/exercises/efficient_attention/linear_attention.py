"""`efficient_attention.linear_attention`: the keys summed up before any query comes."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise
from grader.exercises.efficient_attention import READY_MADE, far, long, low, triple

_ALL = ("query", "key", "value")

EXERCISE = Exercise(
    title="Linear attention",
    section="linear-attention",
    cases=(
        Case("one sequence", lambda rng: triple(rng, queries=7), 2, grad=_ALL),
        Case("a batch with heads", lambda rng: triple(rng, 2, 3, queries=5), grad=_ALL),
        Case("one query", lambda rng: triple(rng, 1, queries=1), grad=_ALL, corner=True),
        Case("one key", lambda rng: triple(rng, keys=1), grad=("value",), corner=True),
        Case(
            "all sizes alike", lambda rng: triple(rng, queries=5, keys=5, d_k=5, d_v=5), grad=_ALL
        ),
        Case("large", lambda rng: triple(rng, size=5.0), grad=_ALL, corner=True),
        Case("features near zero", lambda rng: low(rng), corner=True),
        Case("features far above zero", lambda rng: far(triple(rng, 2)), grad=_ALL, corner=True),
        Case("in float32", lambda rng: triple(rng), dtype="float32"),
        Case(
            "what it costs",
            lambda rng: long(rng),
            3,
            most={"multiply_adds": 8_000, "largest": 2_000},
            corner=False,
        ),
        Case("more heads", lambda rng: triple(rng, 3, 2, keys=13), grad=_ALL, hidden=True),
    ),
    hint=(
        "φ(Q) (φ(K)ᵀ V) and (φ(Q) φ(K)ᵀ) V are the same matrix. Which products make a table of "
        "T × T? The divisor is φ(q) times the sum of all φ(k)."
    ),
    forbidden=READY_MADE,
)
