"""`interpretability.matching_score`: known features among the directions found."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.interpretability import few

EXERCISE = Exercise(
    title="Matching against the truth",
    section="sparse-autoencoder",
    tolerance=1e-9,
    cases=(
        Case("more found than true", lambda rng: _sets(rng, 3, 7, 2), 2),
        Case("fewer found than true", lambda rng: _sets(rng, 3, 2, 5), 2),
        Case("the opposite direction", lambda rng: _opposite(rng)),
        Case("a column of zeros", lambda rng: _zero(rng), corner=True),
        Case("one of each", lambda rng: _sets(rng, 5, 1, 1), corner=True),
        Case("in float32", lambda rng: _sets(rng, 3, 5, 2), dtype="float32"),
        Case("many", lambda rng: _sets(rng, 5, 11, 7), hidden=True),
    ),
    hint="One matrix product has all cosine similarities. Take the maximum over what was found.",
)


def _sets(rng, width, found, truth):
    return {"found": few(rng, width, found), "truth": few(rng, width, truth)}


def _opposite(rng):
    truth = few(rng, 3, 2)
    found = np.stack([-2 * truth[:, 0], truth[:, 0] + few(rng, 3)], axis=1)
    return {"found": found, "truth": truth}


def _zero(rng):
    given = _sets(rng, 3, 3, 2)
    given["found"][:, 1] = 0
    return given
