"""`contrastive.recall_at_k`: is the partner among the first k?"""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.contrastive import few

EXERCISE = Exercise(
    title="Recall at k",
    section="retrieval",
    tolerance=1e-5,
    cases=(
        Case("among one", lambda rng: {"scores": _likely(rng, 7, 7), "k": 1}, 2),
        Case("among three", lambda rng: {"scores": few(rng, 11, 11), "k": 3}, 2),
        Case("more candidates", lambda rng: {"scores": few(rng, 5, 13), "k": 5}),
        Case("ties", lambda rng: {"scores": _tied(rng), "k": 2}, 2, corner=False),
        Case("all scores equal", lambda rng: {"scores": np.full((4, 5), 0.5), "k": 2}),
        Case(
            "tiny differences", lambda rng: {"scores": 1e-9 * few(rng, 11, 11), "k": 4}, corner=True
        ),
        Case("one query", lambda rng: {"scores": _tied(rng)[:1], "k": 3}, corner=True),
        Case("below zero", lambda rng: {"scores": few(rng, 13, 13) - 9, "k": 5}),
        Case("in float16", lambda rng: {"scores": few(rng, 7, 7), "k": 3}, dtype="float16"),
        Case("among four", lambda rng: {"scores": few(rng, 13, 13), "k": 4}, hidden=True),
        Case("other ties", lambda rng: {"scores": _tied(rng), "k": 4}, hidden=True),
    ),
    hint=(
        "With h candidates above the partner and e equal to it (itself included), the partner is "
        "among the first k with probability (k − h)/e, kept between 0 and 1."
    ),
)


def _likely(rng, count, width):
    return few(rng, count, width) + np.eye(count, width)


def _tied(rng):
    return rng.integers(0, 3, (7, 11)) / 4
