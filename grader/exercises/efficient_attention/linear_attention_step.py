"""`efficient_attention.linear_attention_step`: attention as a recurrent network."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.efficient_attention import READY_MADE, far

_ALL = ("state", "total", "query", "key", "value")


def _inputs(rng, *lead, d_k=3, d_v=5, fresh=False, size=1.0):
    state, total = rng.random((*lead, d_k, d_v)), 1 + rng.random((*lead, d_k))
    return {
        "state": np.zeros_like(state) if fresh else state,
        "total": np.zeros_like(total) if fresh else total,
        "query": size * rng.standard_normal((*lead, d_k)),
        "key": size * rng.standard_normal((*lead, d_k)),
        "value": rng.standard_normal((*lead, d_v)),
    }


def _low(rng):
    """The first position, whose features are near 0."""
    made = _inputs(rng, 2, fresh=True)
    return {**made, "query": made["query"] - 10, "key": made["key"] - 10}


EXERCISE = Exercise(
    title="Linear attention as a recurrent network",
    section="as-a-recurrence",
    cases=(
        Case("one position", lambda rng: _inputs(rng), 2, grad=_ALL),
        Case("the first position", lambda rng: _inputs(rng, fresh=True), 2, grad=("value",)),
        Case("a batch with heads", lambda rng: _inputs(rng, 2, 7), grad=_ALL),
        Case("a batch of one", lambda rng: _inputs(rng, 1), grad=_ALL, corner=True),
        Case("values of one number", lambda rng: _inputs(rng, 2, d_v=1), corner=True),
        Case("all sizes alike", lambda rng: _inputs(rng, 5, d_k=5, d_v=5), grad=_ALL),
        Case("large", lambda rng: _inputs(rng, 2, size=5.0), grad=_ALL, corner=True),
        Case("features near zero", lambda rng: _low(rng), corner=True),
        Case("features far above zero", lambda rng: far(_inputs(rng, 2)), grad=_ALL, corner=True),
        Case("in float32", lambda rng: _inputs(rng, 2), dtype="float32"),
        Case("another batch", lambda rng: _inputs(rng, 11, d_k=7), grad=_ALL, hidden=True),
    ),
    hint=(
        "First add the position's key and value to the state, then read with its query. φ(k) vᵀ is "
        "a matrix: a column times a row."
    ),
    forbidden=READY_MADE,
    returns=("the output", "the state A", "the total a"),
)
