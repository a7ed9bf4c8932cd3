"""`linear.hinge_loss`: hinge loss for several classes."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.linear import B, scores_and_labels

EXERCISE = Exercise(
    title="The multiclass hinge loss",
    section="support-vector-machine",
    tolerance=1e-10,
    cases=(
        Case("a batch", lambda rng: scores_and_labels(rng, scale=2.0), 2, grad=("input",)),
        Case(
            "a wider margin", lambda rng: {**scores_and_labels(rng), "margin": 2.5}, grad=("input",)
        ),
        Case("no margin", lambda rng: {**scores_and_labels(rng), "margin": 0.0}, grad=("input",)),
        Case("scores far below zero", lambda rng: _far_below(rng), grad=("input",)),
        Case("some right by far", lambda rng: _leads(rng), 2, grad=("input",)),
        Case(
            "two classes",
            lambda rng: scores_and_labels(rng, classes=2),
            grad=("input",),
            hidden=True,
        ),
        Case(
            "huge scores",
            lambda rng: scores_and_labels(rng, scale=1e4),
            grad=("input",),
            hidden=True,
        ),
        Case(
            "all right by far",
            lambda rng: _leads(rng, least=3.0),
            grad=("input",),
            hidden=True,
            corner=True,
        ),
        Case(
            "scores all equal",
            lambda rng: {**scores_and_labels(rng, scale=0.0), "margin": 1.5},
            corner=True,
        ),
        Case("in float32", lambda rng: scores_and_labels(rng), dtype="float32"),
        Case("on another device", lambda rng: _two(rng), probe="elsewhere"),
        Case(
            "one-hot targets",
            lambda rng: {**_two(rng), "target": rng.integers(2, size=(2, 2))},
            raises="ValueError",
        ),
        Case(
            "one label for all",
            lambda rng: {**_two(rng), "target": rng.integers(2, size=1)},
            raises="ValueError",
        ),
        Case(
            "a column of labels",
            lambda rng: {**_two(rng), "target": rng.integers(2, size=(2, 1))},
            raises="ValueError",
        ),
        Case(
            "one score for each example",
            lambda rng: {"input": rng.standard_normal(3), "target": rng.integers(3, size=3)},
            raises="ValueError",
        ),
        Case(
            "an example without its axis",
            lambda rng: {"input": rng.standard_normal(2), "target": rng.integers(2, size=())},
            raises="ValueError",
        ),
        Case(
            "scores with a third axis",
            lambda rng: {
                "input": rng.standard_normal((3, 5, 2)),
                "target": rng.integers(2, size=3),
            },
            raises="ValueError",
        ),
    ),
    hint=(
        "Add the margin to every wrong class and to no other, take the largest of all classes, "
        "and subtract the right one: the right class itself is what keeps the result from falling "
        "below 0."
    ),
    forbidden=("F.multi_margin_loss", "nn.MultiMarginLoss", "F.hinge_embedding_loss"),
)


def _far_below(rng):
    drawn = scores_and_labels(rng)
    return {**drawn, "input": drawn["input"] - 2.0**40}


def _leads(rng, least=-1.0):
    """The right class leads by at least ``least``, and by 3 and more in every other example."""
    drawn = scores_and_labels(rng)
    scores, target = drawn["input"], drawn["target"]
    lead = np.where(np.arange(B) % 2, 3.0, least) + rng.random(B)
    rows = np.arange(B)
    scores[rows, target] = -np.inf
    scores[rows, target] = scores.max(axis=1) + lead
    return drawn


def _two(rng):
    return scores_and_labels(rng, count=2, classes=2)
