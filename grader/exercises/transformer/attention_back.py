"""`transformer.attention_back`: how far back a head looks."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise


def _given(rng, *lead, length=7, **options):
    weights = np.tril(rng.random((*lead, length, length)))
    return {"weights": weights / weights.sum(-1, keepdims=True), **options}


EXERCISE = Exercise(
    title="How far back a head attends",
    section="induction",
    cases=(
        Case("the previous token", lambda rng: _given(rng, 2, 3, back=1), 2, grad=("weights",)),
        Case("one head", lambda rng: _given(rng, 1, back=2), grad=("weights",), corner=True),
        Case("the position itself", lambda rng: _given(rng, 2, 3, back=0), grad=("weights",)),
        Case("from a later query on", lambda rng: _given(rng, 3, back=2, start=4)),
        Case("a start that is too early", lambda rng: _given(rng, 3, back=4, start=2)),
        Case("as far as it goes", lambda rng: _given(rng, 3, back=6)),
        Case("no batch", lambda rng: _given(rng, back=3), corner=True),
        Case(
            "weights of everything, not of the past",
            lambda rng: {
                "weights": rng.random((2, 7, 7)),
                "back": 2,
                "start": 3,
            },
        ),
        Case("nobody is left", lambda rng: _given(rng, 3, back=7), raises="ValueError"),
        Case(
            "a start beyond the end", lambda rng: _given(rng, back=1, start=7), raises="ValueError"
        ),
        Case("in float32", lambda rng: _given(rng, 3, back=2), dtype="float32"),
        Case(
            "the last query alone",
            lambda rng: _given(rng, 2, back=1, start=6),
            corner=True,
        ),
        Case("the last two queries", lambda rng: _given(rng, 3, back=2, start=5), hidden=True),
    ),
    hint=(
        "Keys that are `back` positions before their queries lie on one diagonal, `offset=-back`. "
        "Its entry 0 belongs to query number `back`."
    ),
)
