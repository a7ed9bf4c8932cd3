"""`test_time_compute.weighted_vote`: which answer has the largest weight?"""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise

EXERCISE = Exercise(
    title="A weighted vote",
    section="weighted-vote",
    cases=(
        Case("seven votes", lambda rng: _given(rng, 5, 7, 3), 2),
        Case("equal weights", lambda rng: _equal(rng), 2),
        Case("one heavy vote", lambda rng: _heavy(), 2),
        Case("a heavy vote is not enough", lambda rng: _light()),
        Case("ties: the first wins", lambda rng: _tied(), corner=True),
        Case("large and negative numbers", lambda rng: _large(rng), corner=True),
        Case("weights below zero", lambda rng: _negative(rng), corner=True),
        Case("one vote", lambda rng: _given(rng, 5, 1, 9), corner=True),
        Case("one row of small weights", lambda rng: _small(rng)),
        Case("in float32", lambda rng: _given(rng, 3, 7, 3), dtype="float32"),
        Case("eleven votes", lambda rng: _given(rng, 7, 11, 4), hidden=True),
    ),
    hint="Compare all answers of a row with one another: (B, N, N). Sum the weights of equal ones.",
)


def _given(rng, rows, votes, kinds):
    weights = np.stack([rng.permutation(votes) for _ in range(rows)]) + 1
    weights = weights + rng.integers(0, 2, (rows, votes)) / 8
    return {"answers": rng.integers(0, kinds, (rows, votes)) + 3, "weights": weights / 16}


def _equal(rng):
    answers = np.array([[4, 2, 2, 9, 4, 2, 7], [8, 8, 1, 1, 1, 5, 1], [6, 3, 5, 5, 3, 5, 9]])
    return {"answers": answers[:, rng.permutation(7)], "weights": np.ones((3, 7))}


def _heavy():
    answers = np.array([[2, 2, 7, 2], [9, 4, 4, 4]])
    return {"answers": answers, "weights": np.array([[0, 0, 8, 0], [8, 2, 2, 2]]) / 16}


def _light():
    answers = np.array([[2, 2, 7, 2, 7], [9, 4, 4, 4, 1]])
    return {"answers": answers, "weights": np.array([[4, 4, 8, 4, 1], [8, 4, 4, 4, 2]]) / 16}


def _tied():
    """In the second row, the answer that is sampled first reaches the total last."""
    answers = np.array([[7, 2, 2, 7], [7, 2, 2, 7], [2, 7, 2, 7], [5, 1, 3, 1]])
    weights = np.array([[0, 0, 0, 0], [1, 1, 1, 1], [1, 2, 2, 1], [4, 2, 4, 2]]) / 8
    return {"answers": answers, "weights": weights}


def _large(rng):
    """Two answers that are not alike would win together. They differ in a digit that no float has,
    or in one that 32 bits have not.
    """
    first = rng.integers(0, 9, (3, 1)) + np.array([[-(2**60)], [-(2**60)], [2**60]])
    answers = first + np.array([[0, 20, 1], [0, 20, 2**32], [0, 20, 3]])
    return {"answers": answers, "weights": np.array([[3, 4, 3], [5, 6, 4], [4, 5, 2]]) / 8}


def _negative(rng):
    """All answers differ, and the weights differ in digits that float32 does not have."""
    answers = np.stack([rng.permutation(5) + 1 for _ in range(3)])
    places = np.stack([rng.permutation(5) for _ in range(3)])
    return {"answers": answers, "weights": -1 - places / 2**30}


def _small(rng):
    given = _given(rng, 1, 7, 3)
    return given | {"weights": 2.0**-30 * given["weights"]}
