"""`test_time_compute.best_allocation`: a larger model, or more samples?"""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise

EXERCISE = Exercise(
    title="The best use of a budget",
    section="training-answering",
    cases=(
        Case("few questions", lambda rng: _tempting(rng, 4.0, 0.0), 2),
        Case("many questions", lambda rng: _tempting(rng, 64.0, 1.0), 2),
        Case("another shape", lambda rng: _given(rng, 16.0, models=5, counts=2), 2),
        Case("exactly the budget", lambda rng: _exact(rng), corner=True),
        Case("equal accuracy: the cheaper", lambda rng: _tied(rng), 2),
        Case("one model", lambda rng: _given(rng, 8.0, models=1, counts=7)),
        Case("no question", lambda rng: _given(rng, 0.0), corner=True),
        Case("in float32", lambda rng: _given(rng, 8.0), dtype="float32"),
        Case("too small a budget", lambda rng: _poor(rng), raises="ValueError"),
        Case("other questions", lambda rng: _given(rng, 32.0, models=4, counts=5), hidden=True),
        Case("other equal ones", lambda rng: _tied(rng), hidden=True),
    ),
    hint="Make a table of costs, (M, K). Of the places that fit, the highest accuracy wins.",
)


def _given(rng, questions, *, models=3, counts=4):
    """The budget is the median cost of all allocations, and a bit."""
    training = rng.permutation(models) * 24.0 + rng.integers(4, 24, models)
    answering = np.stack([rng.permutation(counts) + 1.0 for _ in range(models)])
    answering *= rng.integers(1, 4, (models, 1))
    cost = training[:, None] + questions * answering
    return {
        "training": training,
        "answering": answering,
        "accuracy": rng.permutation(models * counts).reshape(models, counts) / 32,
        "questions": questions,
        "budget": float(np.median(cost)) + 0.25,
    }


def _tempting(rng, questions, trained):
    """The most accurate one fits only if training is free, or if there is one question."""
    while True:
        given = _given(rng, questions)
        training, answers = given["training"][:, None], given["answering"]
        seems = trained * training + (1 if trained else questions) * answers
        places = np.argwhere(
            (seems <= given["budget"]) & (training + questions * answers > given["budget"])
        )
        if len(places):
            given["accuracy"][tuple(places[rng.integers(len(places))])] = 0.75
            return given


def _exact(rng):
    given = _given(rng, 8.0)
    cost = given["training"][:, None] + 8.0 * given["answering"]
    row, column = np.argwhere(cost == np.sort(cost.flatten())[rng.integers(3, 9)])[0]
    given["accuracy"][row, column] = 0.875
    return given | {"budget": float(cost[row, column])}


def _tied(rng):
    """The cheaper of two equal ones comes later in the table."""
    given = _given(rng, 8.0)
    cost = given["training"][:, None] + 8.0 * given["answering"]
    places = rng.permutation(12)
    pairs = [
        (one, two)
        for one in places
        for two in places
        if one < two and cost.flat[one] > cost.flat[two]
    ]
    for place in pairs[0]:
        given["accuracy"].flat[place] = 0.875
    return given | {"budget": float(cost.max()) + 1}


def _poor(rng):
    given = _given(rng, 8.0)
    cost = given["training"][:, None] + 8.0 * given["answering"]
    return given | {"budget": float(cost.min()) - 1}
