"""`efficient_attention.absorb`: a softmax that takes its keys in parts."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise


def _begun(rng, *lead, queries=3, keys=7, size=1.0, shift=0.0):
    """A softmax that has seen five keys, and ``keys`` new ones, whose scores are shifted."""
    before = size * rng.standard_normal((*lead, queries, 5))
    maximum = before.max(axis=-1)
    weights = np.exp(before - maximum[..., None])
    return {
        "maximum": maximum,
        "total": weights.sum(axis=-1),
        "output": weights @ rng.standard_normal((*lead, 5, 5)),
        "scores": shift + size * rng.standard_normal((*lead, queries, keys)),
        "value": rng.standard_normal((*lead, keys, 5)),
    }


def _fresh(rng, *, queries=3, keys=7, blocked=()):
    scores = rng.standard_normal((queries, keys))
    for row, columns in blocked:
        scores[row, columns] = -np.inf
    return {
        "maximum": np.full(queries, -np.inf),
        "total": np.zeros(queries),
        "output": np.zeros((queries, 5)),
        "scores": scores,
        "value": rng.standard_normal((keys, 5)),
    }


def _far_below(rng):
    """The first keys that a query may look at, and their scores near −4·10⁴⁰, some alike."""
    made = _fresh(rng)
    return {**made, "scores": made["scores"].round() * 1e39 - 4e40}


def _blocked(rng, row):
    made = _begun(rng)
    made["scores"][row] = -np.inf
    return made


EXERCISE = Exercise(
    title="Online softmax: absorbing a block",
    section="running-softmax",
    cases=(
        Case("the first keys", lambda rng: _fresh(rng), 2, corner=False),
        Case("the maximum grows", lambda rng: _begun(rng, shift=4.0), 2),
        Case("the maximum stays", lambda rng: _begun(rng, shift=-4.0), 2),
        Case("both, by query", lambda rng: _begun(rng, 2, queries=11, size=2.0)),
        Case("two batch axes", lambda rng: _begun(rng, 3, 2, shift=1.0), corner=True),
        Case("one query", lambda rng: _begun(rng, 1, queries=1), corner=True),
        Case("one key", lambda rng: _begun(rng, keys=1), corner=True),
        Case("scores of hundreds", lambda rng: _begun(rng, size=300.0)),
        Case("scores far below zero", lambda rng: _begun(rng, size=30.0, shift=-2000.0)),
        Case("the first keys, far below zero", lambda rng: _far_below(rng)),
        Case("a query that may not look", lambda rng: _blocked(rng, 1)),
        Case("some keys are blocked", lambda rng: _fresh(rng, blocked=((0, [1, 3]), (2, [0])))),
        Case(
            "no key allowed yet",
            lambda rng: _fresh(rng, blocked=((1, slice(None)),)),
            2,
            corner=False,
        ),
        Case("in float32", lambda rng: _begun(rng), dtype="float32"),
        Case("heads", lambda rng: _begun(rng, 2, 3, shift=1.0), hidden=True),
    ),
    hint=(
        "Compute the new maximum first. Then everything is relative to it: the new keys directly, "
        "the old sums by one factor, exp(old maximum − new maximum). What is −∞ − (−∞)?"
    ),
    returns=("the maximum", "the total", "the output"),
)
