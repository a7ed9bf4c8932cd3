"""`gpt.filtered`: all filters, one after the other."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.gpt import logits

FILTERS = ("tempered", "top_k", "top_p", "min_p", "repetition_penalty")

EXERCISE = Exercise(
    title="Sampling filters in their order",
    section="filters-in-order",
    cases=(
        Case("as they come", lambda rng: _given(rng)),
        Case("warm, then top-p", lambda rng: _given(rng, temperature=1.8, p=0.7), 2),
        Case("top-k, then top-p", lambda rng: _given(rng, k=4, p=0.8), 2),
        Case("top-p, then min-p", lambda rng: _given(rng, p=0.85, least=0.2)),
        Case("top-k, then min-p", lambda rng: _given(rng, k=7, least=0.3)),
        Case("warm, then min-p", lambda rng: _given(rng, temperature=2.5, least=0.3)),
        Case("a penalty, then cold", lambda rng: _cold(rng)),
        Case("a penalty, then top-p", lambda rng: _given(rng, penalty=3.0, p=0.6)),
        Case("a penalty below one", lambda rng: _given(rng, penalty=0.6, p=0.7)),
        Case(
            "all of them",
            lambda rng: _given(rng, penalty=1.3, temperature=1.5, k=8, p=0.9, least=0.1),
            2,
        ),
        Case("many tokens, and no k", lambda rng: _many(rng)),
        Case("no token in the nucleus", lambda rng: _given(rng, rows=1, p=0), raises="ValueError"),
        Case("a least of zero", lambda rng: _given(rng, rows=1, least=0), raises="ValueError"),
        Case(
            "cold, and no token is to stay",
            lambda rng: _given(rng, rows=1, temperature=0, k=0),
            raises="ValueError",
        ),
        Case("below zero", lambda rng: _given(rng, rows=1, temperature=-1), raises="ValueError"),
        Case("one row", lambda rng: _given(rng, rows=1, temperature=0.9, k=5, p=0.9), corner=True),
        Case("in float32", lambda rng: _given(rng, temperature=0.5, k=5, p=0.9), dtype="float32"),
        Case(
            "all of them, colder",
            lambda rng: _given(rng, penalty=1.6, temperature=0.8, k=6, p=0.8, least=0.05),
            hidden=True,
        ),
    ),
    hint="Each filter gets the result of the one before. `None` leaves a filter out.",
    needs=FILTERS,
)


def _given(rng, *, rows=26, **settings):
    return {
        "logits": logits(rng, rows, 13, size=1.5),
        "tokens": rng.integers(0, 13, (rows, 5)),
        **settings,
    }


def _many(rng):
    """More than any usual k keeps."""
    tokens = rng.integers(0, 211, (3, 5))
    return {"logits": logits(rng, 3, 211, size=0.5), "tokens": tokens, "temperature": 1.5}


def _cold(rng):
    """Penalize the largest logit, which has been said."""
    given = _given(rng, penalty=2.0, temperature=0)
    given["tokens"][:, 2] = given["logits"].argmax(axis=1)
    given["logits"] -= np.where(rng.random((26, 1)) < 0.3, 9.0, 0.0)
    return given
