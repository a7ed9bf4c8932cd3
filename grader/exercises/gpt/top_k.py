"""`gpt.top_k`: the k largest logits, and no other."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.gpt import logits, ties

EXERCISE = Exercise(
    title="Top-k",
    section="top-k",
    cases=(
        Case("three of eleven", lambda rng: _given(logits(rng, 3, 11), 3), 2),
        Case("a batch of one", lambda rng: _given(logits(rng, 1, 7), 2), corner=True),
        Case("one alone", lambda rng: _given(logits(rng, 3, 7), 1), corner=True),
        Case("all but one", lambda rng: _given(logits(rng, 3, 7) - 5, 6)),
        Case("many equals", lambda rng: _given(ties(rng, 31, 7), 3), 2, corner=True),
        Case("as many as there are", lambda rng: _given(logits(rng, 2, 5), 5), grad=("logits",)),
        Case("more than there are", lambda rng: _given(logits(rng, 2, 5), 50)),
        Case("more axes", lambda rng: _given(ties(rng, 2, 3, 5), 2), corner=True),
        Case("nearly equals", lambda rng: _given(np.array([[1.0, 1.00005]]), 1)),
        Case("no batch", lambda rng: _given(ties(rng, 11), 3), corner=True),
        Case("some ruled out before", lambda rng: _ruled_out(rng)),
        Case("in float32", lambda rng: _given(logits(rng, 3, 7), 4), dtype="float32"),
        Case("none at all", lambda rng: _given(logits(rng, 2, 5), 0), raises="ValueError"),
        Case("less than none", lambda rng: _given(logits(rng, 2, 5), -3), raises="ValueError"),
        Case("one row", lambda rng: _given(ties(rng, 13), 4), hidden=True, corner=True),
    ),
    tolerance=1e-9,
    hint=(
        "Sort stably, in descending order: `argsort` of `argsort` is the rank of every token, in "
        "the order of the vocabulary. Excluded tokens get −∞."
    ),
)


def _given(scores, k):
    return {"logits": scores, "k": k}


def _ruled_out(rng):
    scores = logits(rng, 5, 7)
    scores[:, [0, 3, 4]] = -float("inf")
    return _given(scores, 2)
