"""`linear.softmax`: softmax that does not overflow."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.linear import B, C, _level, _middle, _rows_apart

EXERCISE = Exercise(
    title="A stable softmax",
    section="log-sum-exp",
    tolerance=1e-10,
    cases=(
        Case("a batch", lambda rng: {"input": rng.standard_normal((B, C))}, grad=("input",)),
        Case(
            "numbers around a thousand",
            lambda rng: _level(rng, 1000.0),
            grad=("input",),
            corner=False,
        ),
        Case("rows far apart", lambda rng: _rows_apart(rng), grad=("input",), corner=False),
        Case("the middle one of three axes", lambda rng: _middle(rng), grad=("input",)),
        Case(
            "two leading axes",
            lambda rng: {"input": rng.standard_normal((2, 3, 5))},
            hidden=True,
            corner=True,
        ),
        Case("a vector", lambda rng: {"input": rng.standard_normal(7)}, hidden=True, corner=True),
        Case(
            "the first of three axes",
            lambda rng: {**_middle(rng), "dim": 0},
            grad=("input",),
            corner=True,
        ),
        Case("no rows", lambda rng: {"input": np.zeros((0, 5))}, corner=True),
        Case(
            "an axis of size 1",
            lambda rng: {"input": rng.standard_normal((3, 1, 5)), "dim": -2},
            grad=("input",),
            corner=True,
        ),
        Case("a masked number", lambda rng: _masked(rng), grad=("input",)),
        Case(
            "ties around a thousand",
            lambda rng: {"input": np.full((2, 4), 1e3)},
            grad=("input",),
            dtype="bfloat16",
        ),
        Case("in float32", lambda rng: _rows_apart(rng), grad=("input",), dtype="float32"),
    ),
    hint=(
        "Subtract the largest score first: a common factor of all exponentials cancels in the "
        "quotient. `keepdim=True` keeps the summed axis, so that the division broadcasts."
    ),
    forbidden=(
        "torch.softmax",
        "F.softmax",
        "Tensor.softmax",
        "torch.special.softmax",
        "F.log_softmax",
        "torch.log_softmax",
        "Tensor.log_softmax",
        "torch.special.log_softmax",
        "nn.Softmax",
        "nn.LogSoftmax",
        "torch.distributions",
    ),
)


def _masked(rng):
    values = rng.standard_normal((5, 7))
    values[1, :3] = -np.inf
    return {"input": values, "dim": -1}
