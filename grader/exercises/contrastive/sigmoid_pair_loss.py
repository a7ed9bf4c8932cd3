"""`contrastive.sigmoid_pair_loss`: is this a pair?"""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.contrastive import pairs

EXERCISE = Exercise(
    title="The sigmoid loss",
    section="sigmoid-loss",
    tolerance=1e-8,
    cases=(
        Case("a batch", lambda rng: _given(rng, 5, 3, 3.0, -1.5), 2, grad=("images", "texts")),
        Case(
            "learned scale and bias",
            lambda rng: _given(rng, 3, 2, np.array(1.5), np.array(-0.75)),
            2,
            grad=("scale", "bias"),
        ),
        Case("a bias above 0", lambda rng: _given(rng, 3, 3, 2.0, 0.5)),
        Case("two pairs", lambda rng: _given(rng, 2, 5, 0.5, -3.0)),
        Case("far from zero", lambda rng: _given(rng, 3, 2, 2000.0, -9000.0), corner=True),
        Case("one pair", lambda rng: _given(rng, 1, 3, 2.0, -1.0), corner=True),
        Case("in float32", lambda rng: _given(rng, 3, 3, 2.0, -1.0), dtype="float32"),
        Case("on another device", lambda rng: _given(rng, 2, 2, 2.0, -1.0), probe="elsewhere"),
        Case("seven pairs", lambda rng: _given(rng, 7, 3, 4.0, -2.0), hidden=True),
    ),
    hint="A matrix of signs, 1 on the diagonal and −1 elsewhere; then `F.logsigmoid`.",
)


def _given(rng, count, width, scale, bias):
    return pairs(rng, count, width) | {"scale": scale, "bias": bias}
