"""`seq2seq.length_score`: log-probabilities of different lengths, made comparable."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise

EXERCISE = Exercise(
    title="Length normalization",
    section="length-penalty",
    tolerance=1e-10,
    cases=(
        Case("one length", lambda rng: _inputs(rng, 5, penalty=0.7), grad=("log_prob",)),
        Case("one of them", lambda rng: _inputs(rng, shape=(1,), penalty=0.9), grad=("log_prob",)),
        Case("a length each", lambda rng: _inputs(rng, penalty=1.0), 2, grad=("log_prob",)),
        Case("no penalty", lambda rng: _default(rng)),
        Case("a strong one", lambda rng: _inputs(rng, penalty=3.0)),
        Case(
            "one sequence, one token",
            lambda rng: _inputs(rng, 1, shape=(), penalty=2.0),
            grad=("log_prob",),
            corner=True,
        ),
        Case("a table of them", lambda rng: _inputs(rng, shape=(2, 3), penalty=0.6)),
        Case("far-out numbers", lambda rng: _far(rng)),
        Case("in float32", lambda rng: _inputs(rng, penalty=0.6), dtype="float32"),
        Case("long sequences", lambda rng: _inputs(rng, 97, penalty=0.9), hidden=True),
    ),
    hint="The log-probability is divided by a power; with the exponent 0 that power is 1.",
)


def _inputs(rng, length=None, *, shape=(5,), **settings):
    length = rng.integers(1, 31, shape).astype(float) if length is None else length
    return {
        "log_prob": np.asarray(np.round(-4096 * 4 * rng.random(shape)) / 4096),
        "length": length,
        **settings,
    }


def _far(rng):
    made = _inputs(rng, shape=(3,), penalty=0.7)
    return {**made, "log_prob": made["log_prob"] * np.array([1e5, 1e30, np.inf])}


def _default(rng):
    made = _inputs(rng, penalty=0.0)
    del made["penalty"]
    return made
