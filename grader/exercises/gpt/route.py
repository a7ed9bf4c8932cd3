"""`gpt.route`: the experts of a token, and their weights."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.gpt import logits, ties

EXERCISE = Exercise(
    title="A top-k router",
    section="router",
    cases=(
        Case("two of five", lambda rng: _given(rng, 3, 5), 2, grad=("logits",)),
        Case("three of seven, more axes", lambda rng: _given(rng, 2, 3, 7, k=3), grad=("logits",)),
        Case("all of them", lambda rng: _given(rng, 2, 4, k=4), grad=("logits",), corner=True),
        Case(
            "two of five, their probabilities",
            lambda rng: _given(rng, 3, 5, renormalize=False),
            2,
            grad=("logits",),
        ),
        Case(
            "one of five, its probability",
            lambda rng: _given(rng, 3, 5, k=1, renormalize=False),
            grad=("logits",),
        ),
        Case("one token", lambda rng: _given(rng, 1, 5), corner=True),
        Case(
            "equal logits",
            lambda rng: {"logits": ties(rng, 11, 23), "k": 3, "renormalize": False},
            corner=True,
        ),
        Case(
            "large logits",
            lambda rng: {"logits": np.round(300 * logits(rng, 3, 5)), "k": 2},
            grad=("logits",),
        ),
        Case("in float32", lambda rng: _given(rng, 3, 5, k=3), dtype="float32"),
        Case("no expert", lambda rng: _given(rng, 2, 5, k=0), raises="ValueError"),
        Case("more than there are", lambda rng: _given(rng, 2, 5, k=6), raises="ValueError"),
        Case("four of eleven", lambda rng: _given(rng, 5, 11, k=4), grad=("logits",), hidden=True),
    ),
    returns=("the weights", "the experts"),
    hint=(
        "Sort stably, in descending order, and keep k columns of values and of places. Which of "
        "the two softmaxes is over k columns, and which over all?"
    ),
)


def _given(rng, *shape, k=2, **options):
    return {"logits": np.round(64 * logits(rng, *shape)) / 64, "k": k, **options}
