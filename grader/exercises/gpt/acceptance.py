"""`gpt.acceptance`: which proposals may stay."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.gpt import probabilities

EXERCISE = Exercise(
    title="Speculative decoding: the acceptance probability",
    section="speculative-decoding",
    cases=(
        Case("two distributions", lambda rng: _given(rng, 7), 2),
        Case("one row", lambda rng: _given(rng, 1, 7), corner=True),
        Case("many rows", lambda rng: _given(rng, 5, 11)),
        Case("more axes", lambda rng: _given(rng, 2, 3, 5), corner=True),
        Case("never proposed", lambda rng: _zeros(rng, target=False)),
        Case("never wanted", lambda rng: _zeros(rng, draft=False), corner=True),
        Case("neither", lambda rng: _zeros(rng), corner=True),
        Case("the same", lambda rng: _same(rng)),
        Case("hardly ever proposed", lambda rng: _rare(rng)),
        Case("in float32", lambda rng: _given(rng, 3, 7), dtype="float32"),
        Case("sharper ones", lambda rng: _given(rng, 3, 7, size=3.0), hidden=True),
    ),
    tolerance=1e-9,  # nothing stands beside q in the divisor
    hint="p / q, but at most 1. If the draft model never proposes a token, you divide by 0.",
)


def _given(rng, *shape, size=1.2):
    return {
        "target": probabilities(rng, *shape, size=size),
        "draft": probabilities(rng, *shape, size=size),
    }


def _zeros(rng, *, target=True, draft=True):
    given = _given(rng, 4, 7)
    places = {"target": slice(1, 4), "draft": slice(2, 5)}  # each is 0 alone somewhere
    for name, zero, at in (("target", target, places["target"]), ("draft", draft, places["draft"])):
        if zero:
            given[name][:, at] = 0
            given[name] /= given[name].sum(axis=1, keepdims=True)
    return given


def _same(rng):
    p = probabilities(rng, 3, 5)
    return {"target": p, "draft": np.array(p)}


def _rare(rng):
    """Some tokens are hardly ever said, by either model."""
    given = _given(rng, 4, 7)
    for name, size in (("target", 3e-13), ("draft", 1e-12)):
        given[name][:, 2:4] *= size
        given[name] /= given[name].sum(axis=1, keepdims=True)
    return given
