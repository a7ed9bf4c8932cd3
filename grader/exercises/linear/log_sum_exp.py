"""`linear.log_sum_exp`: log-sum-exp."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.linear import B, C, _level, _middle, _rows_apart

EXERCISE = Exercise(
    title="Log-sum-exp",
    section="log-sum-exp",
    tolerance=1e-10,
    cases=(
        Case(
            "rows of a matrix", lambda rng: {"input": rng.standard_normal((B, C))}, grad=("input",)
        ),
        Case(
            "numbers around a thousand",
            lambda rng: _level(rng, 1000.0),
            grad=("input",),
            corner=False,
        ),
        Case(
            "numbers around minus a thousand",
            lambda rng: _level(rng, -1000.0),
            grad=("input",),
            corner=False,
        ),
        Case("rows far apart", lambda rng: _rows_apart(rng), grad=("input",), corner=False),
        Case("the middle one of three axes", lambda rng: _middle(rng), grad=("input",)),
        Case("minus infinity", lambda rng: _infinite(rng), corner=False),
        Case(
            "one row of minus infinity, the others far from zero",
            lambda rng: _infinite(rng, level=-2000.0),
        ),
        Case(
            "one number alone",
            lambda rng: {"input": rng.standard_normal(1)},
            hidden=True,
            corner=True,
        ),
        Case("numbers far from each other", lambda rng: {"input": 1e100 * rng.standard_normal(C)}),
        Case("the first of three axes", lambda rng: {**_middle(rng), "dim": 0}, corner=True),
        Case(
            "counted from the end",
            lambda rng: {**_middle(rng), "dim": -2},
            grad=("input",),
            corner=True,
        ),
        Case(
            "beside an axis of size 1",
            lambda rng: {"input": rng.standard_normal((3, 1, 5))},
            corner=True,
        ),
        Case("no rows", lambda rng: {"input": np.zeros((0, 5))}, corner=True),
        Case(
            "an axis of size 1",
            lambda rng: {"input": rng.standard_normal((3, 1, 5)), "dim": 1},
            corner=True,
        ),
        Case("plus infinity", lambda rng: {"input": np.array([[1.0, np.inf], [-np.inf, 2.0]])}),
        Case(
            "plus infinity, the others far from zero",
            lambda rng: {"input": np.array([[1.0, np.inf], [-np.inf, 2000.0], [999.0, 3000.0]])},
        ),
        Case("in float32", lambda rng: _level(rng, 100.0), dtype="float32"),
    ),
    hint=(
        "Subtract the largest number of each row before `exp` and add it back after `log`. What "
        "is −∞ minus −∞?"
    ),
    forbidden=(
        "torch.logsumexp",
        "Tensor.logsumexp",
        "torch.special.logsumexp",
        "torch.logaddexp",
        "F.log_softmax",
        "torch.log_softmax",
        "Tensor.log_softmax",
        "torch.special.log_softmax",
        "F.cross_entropy",
        "nn.LogSoftmax",
        "torch.distributions",
    ),
)


def _infinite(rng, level=0.0):
    values = level + rng.standard_normal((5, 7))
    values[1, :3] = -np.inf
    values[3] = -np.inf
    return {"input": values, "dim": -1}
