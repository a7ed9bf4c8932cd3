"""`self_attention.entropy`: how evenly attention is spread."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise


def _rows(rng, *shape, spread=1.0):
    scores = spread * rng.standard_normal(shape)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True)


def _with_zeros(rng):
    weights = _rows(rng, 3, 5) * np.array([[1, 1, 0, 1, 0], [0, 1, 1, 1, 1], [1, 0, 0, 0, 1]])
    return {"weights": weights / weights.sum(-1, keepdims=True)}


def _nearly(rng):
    """Rows with all but 10⁻¹⁰ on one key: what an eps would add is no longer small beside that.
    In the last row no eps is small.
    """
    weights = np.array([[1e-11], [1e-11], [1e-305]]) * rng.uniform(1, 3, (3, 5))
    weights[:, 2] = 0
    weights[:, 2] = 1 - weights.sum(-1)
    return {"weights": weights}


EXERCISE = Exercise(
    title="The entropy of attention weights",
    section="scaling",
    hint=(
        "0 · ln 0 counts as 0, but 0 · (−∞) is NaN on a computer: make sure that the logarithm "
        "never gets a zero."
    ),
    forbidden=(
        "torch.special.entr",
        "torch.distributions.Categorical",
    ),
    cases=(
        Case("rows of a softmax", lambda rng: {"weights": _rows(rng, 3, 5)}, grad=("weights",)),
        Case("a batch", lambda rng: {"weights": _rows(rng, 2, 3, 7)}, grad=("weights",)),
        Case("weights of zero", _with_zeros),
        Case("all but certain", lambda rng: _nearly(rng), 2, grad=("weights",), corner=True),
        Case("one row in float32", lambda rng: {"weights": _rows(rng, 7)}, dtype="float32"),
        Case(
            "one row",
            lambda rng: {"weights": _rows(rng, 5)},
            grad=("weights",),
            hidden=True,
            corner=True,
        ),
        Case(
            "nearly all on one key",
            lambda rng: {"weights": _rows(rng, 3, 5, spread=30.0)},
            hidden=True,
            corner=True,
        ),
        Case(
            "all on one key",
            lambda rng: {"weights": np.eye(5)[[3, 0, 4]]},
            hidden=True,
            corner=True,
        ),
        Case("a batch of one row", lambda rng: {"weights": _rows(rng, 1, 5)}, corner=True),
    ),
)
