"""`linear.logistic_loss`: logistic loss."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.linear import B, C

EXERCISE = Exercise(
    title="Logistic loss",
    section="logistic-regression",
    tolerance=1e-10,
    cases=(
        Case("one question per example", lambda rng: _answers(rng, B), grad=("input",)),
        Case("several questions", lambda rng: _answers(rng, B, C), 2, grad=("input",)),
        Case(
            "sure, and often wrong",
            lambda rng: _answers(rng, B, scale=1e4),
            2,
            grad=("input",),
            corner=False,
        ),
        Case("scores of zero", lambda rng: _answers(rng, B, C, scale=0.0), grad=("input",)),
        Case(
            "answers that are probabilities",
            lambda rng: _soft_answers(rng),
            grad=("input", "target"),
        ),
        Case("sure, and always right", lambda rng: _right(rng), grad=("input",), corner=True),
        Case(
            "tiny scores",
            lambda rng: _answers(rng, B, scale=1e-6),
            grad=("input",),
            hidden=True,
            corner=True,
        ),
        Case("sure and right, in float32", lambda rng: _right(rng, 12.0), dtype="float32"),
        Case("a thousand questions, sure and right", lambda rng: _thousand(rng), corner=True),
        Case("in float32", lambda rng: _answers(rng, 5, scale=15.0), dtype="float32"),
        Case("a single example", lambda rng: _answers(rng, 1, C), grad=("input",), corner=True),
        Case(
            "a thousand questions, sure and right, in float32",
            lambda rng: _sure(rng),
            dtype="float32",
        ),
        Case(
            "one target for several outputs",
            lambda rng: {**_answers(rng, 2, 3), "target": np.ones((2, 1))},
            raises="ValueError",
        ),
        Case(
            "one target for all examples",
            lambda rng: {**_answers(rng, 2, 3), "target": np.ones(3)},
            raises="ValueError",
        ),
        Case(
            "a column against a row",
            lambda rng: {**_answers(rng, 2, 1), "target": np.ones(2)},
            raises="ValueError",
        ),
    ),
    hint=(
        "ln(1 + eᶻ) is ln(e⁰ + eᶻ): `torch.logaddexp` adds two exponentials without leaving the "
        "logarithm."
    ),
    forbidden=(
        "F.binary_cross_entropy_with_logits",
        "F.binary_cross_entropy",
        "F.soft_margin_loss",
        "nn.BCEWithLogitsLoss",
        "nn.BCELoss",
        "F.multilabel_soft_margin_loss",
        "nn.MultiLabelSoftMarginLoss",
    ),
)


def _answers(rng, *shape, scale=1.0):
    target = (rng.random(shape) < 0.5).astype(float)
    if len(target) > 1:
        target[:2] = np.arange(2.0).reshape(2, *(1,) * (len(shape) - 1))  # a no and a yes, surely
    scores = rng.standard_normal(shape)
    if scale > 1:  # no yes or no by a hair
        scores += np.sign(scores)
    return {"input": scale * scores, "target": target}


def _thousand(rng):
    """Losses near 10⁻¹⁵ that add up: none may be lost in a difference of two scores."""
    target = (rng.random((2, 999)) < 0.5).astype(float)
    return {"input": (2 * target - 1) * rng.uniform(33, 36, target.shape), "target": target}


def _sure(rng):
    """Losses near 10⁻⁸, which 1 + exp(−z) loses in float32, and which add up."""
    target = (np.arange(1998).reshape(2, 999) % 2).astype(float)
    return {"input": (2 * target - 1) * rng.uniform(17, 18), "target": target}


def _soft_answers(rng):
    return {"input": rng.standard_normal((B, C)), "target": rng.random((B, C))}


def _right(rng, least=28.0):
    """Losses near 10⁻¹³, or 10⁻⁶ in float32, which a difference of two scores would lose."""
    target = (rng.random(B) < 0.5).astype(float)
    return {"input": (2 * target - 1) * rng.uniform(least, least + 4, size=B), "target": target}
