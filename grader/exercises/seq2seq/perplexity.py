"""`seq2seq.perplexity`: per token, over sequences of any length."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise


def _inputs(rng, *lengths, size=2.0):
    return {"log_probs": [-size * rng.exponential(size=n) for n in lengths]}


def _sure(rng):
    return {"log_probs": [np.zeros(3), np.zeros(5)]}


def _impossible(rng):
    made = _inputs(rng, 3, 2)
    made["log_probs"][0][1] = -np.inf
    return made


EXERCISE = Exercise(
    title="Perplexity per token",
    section="perplexity",
    cases=(
        Case("three lengths", lambda rng: _inputs(rng, 2, 11, 5), 2),
        Case("one sequence of one token", lambda rng: _inputs(rng, 1), corner=True),
        Case("very different ones", lambda rng: _inputs(rng, 1, 31)),
        Case("one without tokens", lambda rng: _inputs(rng, 3, 0, 2)),
        Case("always sure", lambda rng: _sure(rng)),
        Case("far off", lambda rng: _inputs(rng, 3, 5, size=60.0)),
        Case("a long text", lambda rng: _inputs(rng, 73, 97, size=9.0)),
        Case("in float32", lambda rng: _inputs(rng, 3, 5), dtype="float32"),
        Case("many", lambda rng: _inputs(rng, 3, 13, 2, 7, 1, 19), hidden=True),
        Case("impossible tokens", lambda rng: _impossible(rng)),
        Case("far-out numbers", lambda rng: _inputs(rng, 2, 11, size=200.0), corner=True),
    ),
    hint="Put all tokens into one long row, take its mean, and return exp of minus that mean.",
)
