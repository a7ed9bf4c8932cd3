"""`generative.draw_labels`: drawing a class."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.generative import C, log_shares

EXERCISE = Exercise(
    title="Sampling a class",
    section="sampling",
    cases=(
        Case("many draws", lambda rng: _drawn(rng, 101), 2),
        Case("a grid of draws", lambda rng: _drawn(rng, 7, 13)),
        Case("impossible classes are never drawn", lambda rng: _never(rng), 2, corner=False),
        Case("a sum that rounding has left below 1", lambda rng: _rounded(rng)),
        Case("two impossible classes at the end", lambda rng: _ends(rng), corner=True),
        Case("draws one by one", lambda rng: _drawn(rng)),
        Case("no draw", lambda rng: _drawn(rng, 0)),
        Case("in float32", lambda rng: _drawn(rng, 101), dtype="float32"),
        Case("two classes", lambda rng: _drawn(rng, 31, classes=2), hidden=True),
        Case("one draw in a row", lambda rng: _drawn(rng, 1), corner=True),
        Case("draws beside the edges", lambda rng: _beside(rng), corner=True),
    ),
    hint=(
        "The cumulative sums of the probabilities are where the pieces of the unit interval end; "
        "`torch.searchsorted` finds the piece in which a number lies."
    ),
)


def _drawn(rng, *shape, classes=C):
    return {"uniform": rng.random(shape), "log_prior": log_shares(rng, classes)}


def _rounded(rng):
    """A last class of probability 0, and numbers close to 1."""
    drawn = _never(rng)
    beyond = 1 - np.array([1e-10, 1e-12, 2.0**-53])
    return {"uniform": np.append(drawn["uniform"], beyond), "log_prior": drawn["log_prior"] - 1e-9}


def _ends(rng):
    """Ten equal classes, whose sum is left a little below 1, then two impossible ones."""
    shares = np.append(np.full(10, 0.1), [0.0, 0.0])
    beyond = 1 - np.array([1e-10, 1e-12, 2.0**-53])
    with np.errstate(divide="ignore"):
        return {"uniform": np.append(rng.random(7), beyond), "log_prior": np.log(shares) - 1e-9}


def _never(rng):
    shares = np.array([0.0, 0.3, 0.0, 0.45, 0.25, 0.0])
    with np.errstate(divide="ignore"):
        return {"uniform": np.append(0.0, rng.random(17)), "log_prior": np.log(shares)}


def _beside(rng):
    """Nearer to an edge than float32 can tell."""
    drawn = _drawn(rng)
    edges = np.exp(drawn["log_prior"]).cumsum()[:-1]
    return {**drawn, "uniform": np.concatenate([edges - 1e-10, edges + 1e-10])}
