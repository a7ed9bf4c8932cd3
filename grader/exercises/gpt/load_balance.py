"""`gpt.load_balance`: the loss that keeps all experts busy."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.gpt import logits

EXERCISE = Exercise(
    title="The load-balancing loss",
    section="load-balance",
    cases=(
        Case("one of five", lambda rng: _given(rng, 7, 5), 2, grad=("logits",)),
        Case("two of five", lambda rng: _given(rng, 7, 5, k=2), 2, grad=("logits",)),
        Case("more axes", lambda rng: _given(rng, 2, 3, 5, k=3), grad=("logits",)),
        Case("one token", lambda rng: _given(rng, 1, 5), grad=("logits",), corner=True),
        Case("one expert gets everything", lambda rng: _one(rng), grad=("logits",)),
        Case("chosen by another router", lambda rng: _others(rng), grad=("logits",)),
        Case("large logits", lambda rng: _given(rng, 5, 3, size=900.0), grad=("logits",)),
        Case("in float32", lambda rng: _given(rng, 7, 5), dtype="float32"),
        Case("seven experts", lambda rng: _given(rng, 11, 7, k=2), grad=("logits",), hidden=True),
    ),
    hint=(
        "`F.one_hot` of the choices, averaged, is f; the softmax, averaged over the tokens, is "
        "P. Both have E numbers."
    ),
)


def _given(rng, *shape, k=1, size=1.0):
    scores = np.round(64 * logits(rng, *shape)) / 64
    return {"logits": size * scores, "chosen": np.argsort(-scores, axis=-1)[..., :k]}


def _one(rng):
    scores = np.round(64 * logits(rng, 5, 3)) / 64
    scores[:, 1] = 6
    return {"logits": scores, "chosen": np.ones((5, 1), dtype=np.int64)}


def _others(rng):
    return _given(rng, 5, 7) | {"chosen": rng.integers(0, 5, (5, 2))}
