"""`test_time_compute.best_allocation`: a larger model, or more samples?"""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise

EXERCISE = Exercise(
    title="The best use of a budget",
    section="training-answering",
    cases=(
        Case("few questions", lambda rng: _given(rng, 4.0, 60.0), 2),
        Case("many questions", lambda rng: _given(rng, 64.0, 300.0), 2),
        Case("the most accurate costs too much", lambda rng: _fixed(40.0), 2),
        Case("exactly the budget", lambda rng: _fixed(48.0), corner=True),
        Case("equal accuracy: the cheaper", lambda rng: _tied(), 2),
        Case("one model", lambda rng: _single(rng)),
        Case("more samples are worse", lambda rng: _falling()),
        Case("no question", lambda rng: _fixed(20.0, questions=0.0), corner=True),
        Case("too small a budget", lambda rng: _fixed(5.0), raises="ValueError"),
        Case("other questions", lambda rng: _given(rng, 16.0, 130.0), hidden=True),
    ),
    hint="A table of costs, (M, K). What does not fit has an accuracy below all others.",
)


def _given(rng, questions, budget):
    return {
        "training": np.array([8.0, 16.0, 40.0]),
        "answering": np.array([[1.0], [2.0], [5.0]]) * np.array([1.0, 2.0, 4.0, 8.0]) / 2,
        "accuracy": np.sort(rng.permutation(12)).reshape(3, 4)[rng.permutation(3)] / 16,
        "questions": questions,
        "budget": budget,
    }


def _fixed(budget, *, questions=4.0):
    return {
        "training": np.array([8.0, 16.0]),
        "answering": np.array([[1.0, 2.0, 4.0], [2.0, 4.0, 8.0]]),
        "accuracy": np.array([[0.125, 0.25, 0.375], [0.3125, 0.5, 0.75]]),
        "questions": questions,
        "budget": budget,
    }


def _tied():
    accuracy = np.array([[0.125, 0.5, 0.5], [0.5, 0.5, 0.25]])
    return _fixed(100.0) | {"accuracy": accuracy, "training": np.array([16.0, 8.0])}


def _single(rng):
    given = _given(rng, 4.0, 20.0)
    return given | {name: given[name][:1] for name in ("training", "answering", "accuracy")}


def _falling():
    return _fixed(100.0) | {"accuracy": np.array([[0.25, 0.5, 0.125], [0.375, 0.25, 0.0]])}
