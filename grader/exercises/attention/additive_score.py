"""`attention.additive_score`: a small network for the score."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise
from grader.exercises.attention import READY_MADE, WHOLE, queries_and_keys

GRAD = (*WHOLE, "weight_query", "weight_key", "v")


def _inputs(rng, *batch, d_q=7, d_k=11, hidden=13, **sizes):
    return {
        **queries_and_keys(rng, *batch, d_q=d_q, d_k=d_k, **sizes),
        "weight_query": 0.6 * rng.standard_normal((hidden, d_q)),
        "weight_key": 0.6 * rng.standard_normal((hidden, d_k)),
        "v": rng.standard_normal(hidden),
    }


def _projected(rng, *batch, hidden=13):
    made = _inputs(rng, *batch, d_k=hidden, hidden=hidden)
    return {**made, "weight_key": None}


EXERCISE = Exercise(
    title="The additive score",
    section="additive-score",
    cases=(
        Case("two sizes", _inputs, grad=GRAD),
        Case("a batch", lambda rng: _inputs(rng, 2), 2, grad=GRAD),
        Case("as many queries as keys", lambda rng: _inputs(rng, 2, queries=5), grad=GRAD),
        Case("one size for all", lambda rng: _inputs(rng, 2, d_q=5, d_k=5, hidden=5), grad=GRAD),
        Case(
            "keys that are projected already",
            lambda rng: _projected(rng, 2),
            grad=(*WHOLE, "weight_query", "v"),
        ),
        Case("several batch axes", lambda rng: _inputs(rng, 2, 3), grad=GRAD, corner=True),
        Case(
            "one large query",
            lambda rng: _inputs(rng, queries=1, size=1e3),
            grad=GRAD,
            corner=True,
        ),
        Case("in float32", lambda rng: _inputs(rng, 2), dtype="float32"),
        Case(
            "two batch axes",
            lambda rng: _inputs(rng, 2, 3, hidden=1),
            grad=GRAD,
            hidden=True,
            corner=True,
        ),
        Case(
            "projected already, one query",
            lambda rng: {**_projected(rng), "query": rng.standard_normal((1, 7))},
            grad=(*WHOLE, "weight_query", "v"),
            hidden=True,
            corner=True,
        ),
    ),
    hint=(
        "Project the queries and the keys, each once. Two axes of size 1, `[..., :, None, :]` and "
        "`[..., None, :, :]`, make their sum one vector per pair."
    ),
    forbidden=READY_MADE,
)
