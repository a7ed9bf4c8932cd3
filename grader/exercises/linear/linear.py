"""`linear.linear`: the scores of a linear model."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.linear import B, C, D

EXERCISE = Exercise(
    title="The scores of a linear model",
    section="one-family",
    tolerance=1e-10,
    cases=(
        Case("a batch", lambda rng: _layer(rng, B), 2, grad=("input", "weight", "bias")),
        Case("a single input", lambda rng: _layer(rng)),
        Case("two leading axes", lambda rng: _layer(rng, 2, 3), grad=("input", "bias")),
        Case("no bias", lambda rng: _layer(rng, B, bias=False), grad=("input", "weight")),
        Case("as many outputs as features", lambda rng: _layer(rng, D, outputs=D)),
        Case("huge and tiny inputs", lambda rng: _layer(rng, B, scale=1e8), hidden=True),
        Case("one output", lambda rng: _layer(rng, 3, outputs=1), corner=True),
        Case("in float16", lambda rng: _layer(rng, 2, bias=False), dtype="float16"),
        Case(
            "a bias of zero",
            lambda rng: {**_layer(rng, B), "bias": np.zeros(C)},
            grad=("bias",),
            corner=True,
        ),
        Case("no input", lambda rng: _layer(rng, 0), corner=True),
        Case("a batch of one", lambda rng: _layer(rng, 1), corner=True),
        Case("far-out numbers", lambda rng: _layer(rng, B, scale=1e12), corner=True),
    ),
    hint=(
        "Each row of `weight` is one output's weights: a matrix product with its transpose "
        "leaves the leading axes of `input` alone."
    ),
    forbidden=("F.linear", "nn.Linear", "F.bilinear"),
)


def _layer(rng, *lead, outputs=C, scale=1.0, bias=True):
    spread = np.where(rng.random((*lead, D)) < 0.5, scale, 1 / scale)
    given = {
        "input": spread * rng.standard_normal((*lead, D)),
        "weight": rng.standard_normal((outputs, D)),
    }
    return given | ({"bias": rng.standard_normal(outputs)} if bias else {})
