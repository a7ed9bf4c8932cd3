"""`linear.cross_entropy`: cross-entropy from scores."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.linear import B, C, scores_and_labels

EXERCISE = Exercise(
    title="Cross-entropy from scores",
    section="cross-entropy",
    tolerance=1e-10,
    cases=(
        Case("a batch", lambda rng: scores_and_labels(rng), 2, grad=("input",)),
        Case(
            "huge scores",
            lambda rng: scores_and_labels(rng, scale=1e4),
            grad=("input",),
            corner=False,
        ),
        Case("as many examples as classes", lambda rng: scores_and_labels(rng, count=C)),
        Case("two classes", lambda rng: scores_and_labels(rng, classes=2), grad=("input",)),
        Case("one example", lambda rng: scores_and_labels(rng, count=1), hidden=True, corner=True),
        Case(
            "tiny scores",
            lambda rng: scores_and_labels(rng, scale=1e-6),
            grad=("input",),
            hidden=True,
            corner=True,
        ),
        Case("in float32", lambda rng: scores_and_labels(rng), dtype="float32"),
        Case("rows far apart, in float32", lambda rng: _far_apart(rng), dtype="float32"),
        Case(
            "one score for each example",
            lambda rng: {"input": rng.standard_normal(3), "target": rng.integers(3, size=3)},
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
        "Per example: the log-sum-exp of its scores minus the score of the right class. `gather` "
        "picks one score per row."
    ),
    forbidden=(
        "F.cross_entropy",
        "nn.CrossEntropyLoss",
        "F.nll_loss",
        "nn.NLLLoss",
        "F.log_softmax",
        "nn.LogSoftmax",
        "torch.log_softmax",
        "Tensor.log_softmax",
        "torch.special.log_softmax",
        "torch.distributions",
    ),
    needs=("log_sum_exp",),
)


def _far_apart(rng):
    """Each row at a level of its own: only a row's own maximum leaves its digits."""
    drawn = scores_and_labels(rng)
    drawn["input"] += np.linspace(-3e8, 3e8, B)[:, None]
    return drawn


def _two(rng):
    return scores_and_labels(rng, count=2, classes=2)
