"""`gpt.residual`: what is drawn in place of a refused token."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.gpt import probabilities
from grader.exercises.gpt.acceptance import _given, _same, _zeros

EXERCISE = Exercise(
    title="Speculative decoding: the residual distribution",
    section="speculative-decoding",
    cases=(
        Case("two distributions", lambda rng: _given(rng, 7), 2),
        Case("one row", lambda rng: _given(rng, 1, 7), corner=True),
        Case("many rows", lambda rng: _given(rng, 5, 11)),
        Case("more axes", lambda rng: _given(rng, 2, 3, 5), corner=True),
        Case("nearly the same", lambda rng: _near(rng), corner=True),
        Case("all but the same", lambda rng: _near(rng, apart=1e-6), corner=True),
        Case("the same but for roundings", lambda rng: _near(rng, apart=1e-11), corner=True),
        Case("the same but for one or two last bits", lambda rng: _bits(rng), corner=True),
        Case("the same", lambda rng: _same(rng), corner=True),
        Case("the same in one row", lambda rng: _same_in_one(rng), corner=True),
        Case("nothing in common", lambda rng: _apart(rng), corner=True),
        Case("never proposed", lambda rng: _zeros(rng, target=False), corner=True),
        Case("in float32", lambda rng: _given(rng, 3, 7), dtype="float32"),
        Case("sharper ones", lambda rng: _given(rng, 3, 7, size=3.0), hidden=True),
    ),
    hint="Clip negative differences to 0; then divide by the sum of the row, unless that is 0.",
)


def _near(rng, *, apart=0.01):
    p, other = probabilities(rng, 3, 7), probabilities(rng, 3, 7)
    return {"target": p, "draft": (1 - apart) * p + apart * other}


def _bits(rng):
    """Each difference is a few times 2⁻⁵⁰, without a rounding; together they are below any eps."""
    draft = np.round(probabilities(rng, 3, 7) * 2**20) / 2**20
    return {"target": draft + rng.permuted([[3, -2, -1, 0, 4, -5, 1]] * 3, axis=1) / 2**50} | {
        "draft": draft
    }


def _same_in_one(rng):
    given = _given(rng, 3, 5)
    given["draft"][1] = given["target"][1]
    return given


def _apart(rng):
    given = _given(rng, 3, 6)
    for name, part in (("target", slice(0, 3)), ("draft", slice(3, 6))):
        given[name][:, part] = 0
        given[name] /= given[name].sum(axis=1, keepdims=True)
    return given
