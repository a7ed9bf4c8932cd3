"""`mlp.gelu`: a smoother fold."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.mlp import B, _numbers, _with_zeros

EXERCISE = Exercise(
    title="GELU",
    section="gates",
    tolerance=1e-10,
    cases=(
        Case("both signs", lambda rng: _numbers(rng, B, 7), 2, grad=("input",)),
        Case("exact zeros", lambda rng: _with_zeros(rng), grad=("input",)),
        Case("far from zero", lambda rng: {"input": np.linspace(-200, 200, 9)}, grad=("input",)),
        Case("between", lambda rng: {"input": np.linspace(-7.0, 7.0, 29)}, grad=("input",)),
        Case("a number without axes", lambda rng: {"input": rng.standard_normal(())}, corner=True),
        Case("float32", lambda rng: _numbers(rng, 2, 3, 5), grad=("input",), dtype="float32"),
        Case(
            "three axes",
            lambda rng: _numbers(rng, 2, 3, 5),
            grad=("input",),
            hidden=True,
            corner=True,
        ),
        Case("one row", lambda rng: _numbers(rng, 1, 7), grad=("input",), corner=True),
    ),
    hint=(
        "Φ(a) = (1 + erf(a/√2)) / 2: the error function `torch.erf` belongs to a normal variable "
        "with variance ½."
    ),
    forbidden=("F.gelu", "nn.GELU", "torch.nn.functional.gelu"),
)
