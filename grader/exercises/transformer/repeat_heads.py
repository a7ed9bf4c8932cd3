"""`transformer.repeat_heads`: one head of keys for several of queries."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise


def _given(rng, *batch, heads=3, times=2):
    return {"x": rng.standard_normal((*batch, heads, 7, 5)), "times": times}


EXERCISE = Exercise(
    title="Grouped-query attention: sharing keys and values",
    section="grouped-queries",
    cases=(
        Case("a batch", lambda rng: _given(rng, 2), 2, grad=("x",)),
        Case("a batch of one", lambda rng: _given(rng, 1), grad=("x",), corner=True),
        Case("no batch", lambda rng: _given(rng, times=3), grad=("x",), corner=True),
        Case(
            "two batch axes",
            lambda rng: _given(rng, 2, 3, heads=2, times=5),
            grad=("x",),
            corner=True,
        ),
        Case("once", lambda rng: _given(rng, 2, times=1), grad=("x",)),
        Case("one head for all", lambda rng: _given(rng, 2, heads=1, times=5), grad=("x",)),
        Case("in float32", lambda rng: _given(rng, 2), dtype="float32"),
        Case("many", lambda rng: _given(rng, 2, heads=2, times=11), grad=("x",), hidden=True),
    ),
    tolerance=1e-9,
    hint="`repeat` and `repeat_interleave` put the copies in different orders.",
)
