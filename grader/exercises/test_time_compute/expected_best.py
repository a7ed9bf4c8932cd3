"""`test_time_compute.expected_best`: the best of n, from N samples."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.test_time_compute import few

EXERCISE = Exercise(
    title="Best of n, estimated from N samples",
    section="rank-samples",
    tolerance=1e-8,
    cases=(
        Case("best of three", lambda rng: _given(rng, 3, 7, 3), 2),
        Case("best of two", lambda rng: _given(rng, 2, 5, 2), 2),
        Case("values that are not 0 or 1", lambda rng: _given(rng, 2, 5, 3, valued=True)),
        Case("ties", lambda rng: _tied(rng, 3), 2, corner=False),
        Case("all scores equal", lambda rng: _equal(rng), corner=True),
        Case("one sample", lambda rng: _given(rng, 3, 7, 1)),
        Case("all samples, ties", lambda rng: _all(rng)),
        Case("one problem", lambda rng: _flat(rng)),
        Case("two axes before", lambda rng: _deep(rng)),
        Case("many samples", lambda rng: _many(rng), corner=True),
        Case("scores in float32, values in float64", lambda rng: _below(rng), corner=True),
        Case("in float32", lambda rng: _given(rng, 2, 5, 2), dtype="float32"),
        Case("no sample", lambda rng: _given(rng, 2, 3, 0), raises="ValueError"),
        Case("a negative number", lambda rng: _given(rng, 2, 3, -1), raises="ValueError"),
        Case("more than there are", lambda rng: _given(rng, 2, 3, 4), raises="ValueError"),
        Case("best of four", lambda rng: _given(rng, 3, 11, 4), hidden=True),
        Case("other ties", lambda rng: _tied(rng, 4), hidden=True),
    ),
    hint=(
        "Let b samples score lower than a sample, and u not higher, itself included. The winner "
        "has its score with probability [C(u, n) − C(b, n)] / C(N, n), which u − b samples share."
    ),
)


def _given(rng, rows, samples, n, *, valued=False):
    scores = np.stack([rng.permutation(samples) for _ in range(rows)]) / 4
    values = few(rng, rows, samples) if valued else rng.integers(0, 2, (rows, samples)) / 1.0
    values[:, 0] = 1 - values[:, -1]
    return {"scores": scores, "values": values, "n": n}


def _tied(rng, n):
    given = _given(rng, 5, 7, n, valued=True)
    return given | {"scores": rng.integers(0, 3, (5, 7)) / 4}


def _equal(rng):
    given = _given(rng, 2, 5, 3)
    return given | {"scores": np.repeat([[0.5], [-np.inf]], 5, axis=1)}


def _all(rng):
    """Two of the five have the highest score."""
    given = _given(rng, 3, 5, 5, valued=True)
    return given | {"scores": (4 * given["scores"] + 1) // 2 / 4}


def _flat(rng):
    given = _given(rng, 1, 7, 3)
    return {"scores": given["scores"][0], "values": given["values"][0], "n": 3}


def _deep(rng):
    given = _given(rng, 6, 5, 2)
    return {name: given[name].reshape(2, 3, 5) for name in ("scores", "values")} | {"n": 2}


def _many(rng):
    return _given(rng, 1, 71, 35)


def _below(rng):
    """Scores below zero, which differ in their last digits, and −∞."""
    given = _given(rng, 3, 5, 2)
    scores = np.float32(given["scores"] / 2**18 - 9)
    return given | {"scores": np.where(given["scores"] > 0, scores, np.float32(-np.inf))}
