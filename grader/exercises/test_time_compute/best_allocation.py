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
        Case("one model, an accuracy of 0", lambda rng: _useless(rng), corner=True),
        Case("no question, one number of samples", lambda rng: _free(rng), corner=True),
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
    """A more accurate allocation costs more than the budget by a hair, another one far more."""
    given = _given(rng, 8.0)
    cost = given["training"][:, None] + 8.0 * given["answering"]
    order = cost.flatten().argsort(kind="stable")
    place = rng.integers(3, 9)
    given["accuracy"].flat[order[[place, -1]]] = 0.875, 1.0
    small = {name: given[name] / 2**9 for name in ("training", "answering")}  # all below 1
    row, column = divmod(order[place], 4)
    small["answering"][row, column - 1] = small["answering"][row, column] + 2.0**-35
    given["accuracy"][row, column - 1] = 0.9375
    return given | small | {"budget": float(cost[row, column]) / 2**9}


def _tied(rng):
    """Of equal ones, a model between two others is cheapest: one of these costs less to train, the
    other less to answer. A cheaper allocation is worse by a hair. A fourth model is never best.
    """
    order = [0, 1, 2] if rng.random() < 0.5 else [2, 1, 0]
    order.insert(rng.integers(4), 3)
    training = (np.array([8.0, 32.0, 88.0, 88.0]) + rng.integers(0, 8, 4))[order]
    answering = np.array([[16.0], [5.0], [1.0], [16.0]]) + [rng.permutation(4) for _ in range(4)]
    answering = answering[order]
    above, between, below = (place for place, model in enumerate(order) if model != 3)
    two = np.sort(rng.permutation(4)[:2])
    answering[above, two] = -np.sort(-answering[above, two])  # the first of them is the dearer one
    nearly, best = answering[between].argsort()[[0, 2]]
    accuracy = rng.permutation(16).reshape(4, 4) / 32
    accuracy[above, two] = accuracy[between, best] = accuracy[below, rng.integers(4)] = 0.875
    accuracy[between, nearly] = 0.875 - 2.0**-20
    return {
        "training": training,
        "answering": answering,
        "accuracy": accuracy,
        "questions": 8.0,
        "budget": 512.0,
    }


def _useless(rng):
    """An accuracy of 0 wherever it fits; the first allocation does not fit."""
    given = _given(rng, 8.0, models=1, counts=7)
    cost = given["training"][:, None] + 8.0 * given["answering"]
    first = cost[0].argmax()
    for name in ("answering", "accuracy"):
        given[name] = np.roll(given[name], -first, axis=1)
    fits = np.roll(cost, -first, axis=1) <= given["budget"]
    return given | {"accuracy": np.where(fits, 0.0, given["accuracy"])}


def _free(rng):
    """The model that costs the whole budget to train is the most accurate."""
    given = _given(rng, 0.0, counts=1)
    given["accuracy"][given["training"].argsort()[1]] = 0.75
    return given


def _poor(rng):
    given = _given(rng, 8.0)
    cost = given["training"][:, None] + 8.0 * given["answering"]
    return given | {"budget": float(cost.min()) - 1}
