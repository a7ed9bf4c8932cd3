"""`attention.attend_backward`: what a score is told."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import AUTOGRAD, Case, Exercise
from grader.exercises.attention import weights_of


def _inputs(rng, *batch, queries=3, keys=5, d_v=7, size=1.0):
    return {
        "grad": rng.standard_normal((*batch, queries, d_v)),
        "weights": weights_of(rng, *batch, queries, keys, size=size),
        "value": 10 * rng.standard_normal((*batch, keys, d_v)),
    }


def _certain(rng):
    made = _inputs(rng)
    made["weights"] = np.eye(5)[[1, 4, 1]]
    return made


def _masked(rng):
    made = _inputs(rng, 2)
    made["weights"][:, 1] = 0
    made["weights"][0, :, 3:] = 0
    total = made["weights"].sum(axis=-1, keepdims=True)
    made["weights"] /= np.where(total > 0, total, 1)
    return made


EXERCISE = Exercise(
    title="The backward pass of attention",
    section="score-gradients",
    cases=(
        Case("three queries", _inputs, 2),
        Case("a batch", lambda rng: _inputs(rng, 2), 2),
        Case("as many of everything", lambda rng: _inputs(rng, 2, queries=5, d_v=5)),
        Case("several batch axes", lambda rng: _inputs(rng, 2, 3), corner=True),
        Case("weights that are certain", _certain),
        Case("masked keys, and a query without a key", _masked, corner=True),
        Case("in float32", lambda rng: _inputs(rng, 2), dtype="float32"),
        Case(
            "two batch axes, one query",
            lambda rng: _inputs(rng, 2, 13, queries=1),
            hidden=True,
            corner=True,
        ),
        Case("far-out numbers", lambda rng: _far(rng), corner=True),
    ),
    hint=(
        "One matrix product gives g·vⱼ for all queries and keys. From these, each query subtracts "
        "its own mean, weighted by α, and multiplies by α."
    ),
    forbidden=AUTOGRAD,
    returns=("the gradient of the scores", "the gradient of the values"),
)


def _far(rng):
    """Far beyond what is commonly clamped."""
    drawn = _inputs(rng, 2)
    return {**drawn, "grad": 1e12 * drawn["grad"]}
