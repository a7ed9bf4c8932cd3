"""`efficient_attention.low_rank_attention`: a few mixtures of the positions."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise
from grader.exercises.efficient_attention import READY_MADE, triple

_ALL = ("query", "key", "value", "project_key", "project_value")


def _inputs(rng, *lead, rank=3, queries=7, keys=11, **sizes):
    return {
        **triple(rng, *lead, queries=queries, keys=keys, **sizes),
        "project_key": rng.standard_normal((rank, keys)),
        "project_value": rng.standard_normal((rank, keys)),
    }


EXERCISE = Exercise(
    title="Low-rank attention (Linformer)",
    section="low-rank",
    cases=(
        Case("three of eleven", lambda rng: _inputs(rng), 2, grad=_ALL),
        Case("a batch with heads", lambda rng: _inputs(rng, 2, 3, rank=2), grad=_ALL),
        Case(
            "one mixture",
            lambda rng: _inputs(rng, 2, rank=1),
            grad=("value", "project_value"),
            corner=True,
        ),
        Case("one query", lambda rng: _inputs(rng, 1, queries=1), grad=_ALL, corner=True),
        Case("as many as positions", lambda rng: _inputs(rng, rank=11, queries=11), grad=_ALL),
        Case(
            "all sizes alike",
            lambda rng: _inputs(rng, rank=5, queries=5, keys=5, d_k=5, d_v=5),
            grad=_ALL,
        ),
        Case("scores of thousands", lambda rng: _inputs(rng, size=40.0), corner=True),
        Case("in float32", lambda rng: _inputs(rng), dtype="float32"),
        Case(
            "what it holds",
            lambda rng: _inputs(rng, queries=97, keys=97),
            2,
            most={"largest": 1_000},
            corner=False,
        ),
        Case(
            "five of thirteen", lambda rng: _inputs(rng, 2, rank=5, keys=13), grad=_ALL, hidden=True
        ),
    ),
    hint="Mix the rows of K with R_K and those of V with R_V. The rest is ordinary attention.",
    forbidden=READY_MADE,
)
