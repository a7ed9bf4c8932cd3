"""`interpretability.top_k_codes`: few codes, none of them negative."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.interpretability import distinct

EXERCISE = Exercise(
    title="The k largest codes",
    section="sparse-autoencoder",
    tolerance=1e-12,
    cases=(
        Case("two of seven", lambda rng: _scores(rng, 2, 5, 7), 2, grad=("scores",)),
        Case("fewer that are positive", lambda rng: _negative(rng), 2, grad=("scores",)),
        Case("all of them", lambda rng: _scores(rng, 3, 2, 3)),
        Case("one row", lambda rng: _scores(rng, 1, 5), corner=True),
        Case("three axes", lambda rng: _scores(rng, 2, 2, 1, 5), corner=True),
        Case("in float16", lambda rng: _scores(rng, 2, 3, 5), dtype="float16"),
        Case("four of eleven", lambda rng: _scores(rng, 4, 3, 11), hidden=True),
    ),
    hint="`topk` gives values and places; `scatter` puts values at places into zeros.",
)


def _scores(rng, k, *shape):
    return {"scores": distinct(rng, *shape), "k": k}


def _negative(rng):
    given = _scores(rng, 3, 3, 5)
    scores = -np.abs(given["scores"])
    scores[[0, 1], rng.integers(0, 5, 2)] *= -1  # one positive score, one, and none
    return given | {"scores": scores}
