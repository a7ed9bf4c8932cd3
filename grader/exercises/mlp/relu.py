"""`mlp.relu`: the simplest activation."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.mlp import B, _numbers, _with_zeros

EXERCISE = Exercise(
    title="The ReLU",
    section="stacking",
    tolerance=1e-10,
    cases=(
        Case("both signs", lambda rng: _numbers(rng, B, 7), 2, grad=("input",)),
        Case("exact zeros", lambda rng: _with_zeros(rng), grad=("input",)),
        Case("infinite numbers", lambda rng: {"input": np.array([-np.inf, -1.0, 2.0, np.inf])}),
        Case("huge and tiny", lambda rng: _numbers(rng, 2, 5, scale=1e9), grad=("input",)),
        Case("a number without axes", lambda rng: {"input": np.asarray(-1.0)}, corner=True),
        Case("no numbers", lambda rng: {"input": np.zeros((0, 3))}),
        Case("float16", lambda rng: _numbers(rng, 2, 3, 5), grad=("input",), dtype="float16"),
        Case(
            "three axes",
            lambda rng: _numbers(rng, 2, 3, 5),
            grad=("input",),
            hidden=True,
            corner=True,
        ),
        Case(
            "one number", lambda rng: {"input": np.asarray(rng.random())}, hidden=True, corner=True
        ),
        Case("one row", lambda rng: _numbers(rng, 1, 7), grad=("input",), corner=True),
    ),
    hint=(
        "Choose between two numbers at every entry. `torch.where` does this, and passes the "
        "gradient only to the number it chose."
    ),
    forbidden=("torch.relu", "F.relu", "Tensor.relu", "nn.ReLU", "torch.relu_", "F.relu6"),
)
