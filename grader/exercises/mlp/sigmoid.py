"""`mlp.sigmoid`: an activation that never overflows."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.mlp import B, _numbers, _with_zeros

EXERCISE = Exercise(
    title="A stable sigmoid",
    section="elementwise",
    tolerance=1e-10,
    cases=(
        Case("both signs", lambda rng: _numbers(rng, B, 7), 2, grad=("input",)),
        Case("far from zero", lambda rng: _far(rng), 2, grad=("input",), corner=False),
        Case("exactly zero", lambda rng: _with_zeros(rng), grad=("input",)),
        Case("below zero", lambda rng: {"input": np.linspace(-60.0, -4.0, 15)}, grad=("input",)),
        Case("a number without axes", lambda rng: {"input": rng.standard_normal(())}, corner=True),
        Case("no numbers", lambda rng: {"input": np.zeros((3, 0))}),
        Case("float32", lambda rng: _float32(rng), grad=("input",), dtype="float32"),
        Case("a long row", lambda rng: _numbers(rng, 2, 31), grad=("input",), hidden=True),
        Case("one row", lambda rng: _numbers(rng, 1, 7), grad=("input",), corner=True),
    ),
    hint=(
        "1 / (1 + e⁻ᵃ) = exp(−ln(1 + e⁻ᵃ)), and `torch.logaddexp` adds two exponentials without "
        "leaving the logarithm."
    ),
    forbidden=(
        "torch.sigmoid",
        "F.sigmoid",
        "Tensor.sigmoid",
        "nn.Sigmoid",
        "torch.special.expit",
        "torch.sigmoid_",
        "F.logsigmoid",
        "F.silu",
    ),
)


def _far(rng):
    size = rng.uniform(800, 2000, size=(2, 5))
    return {"input": np.concatenate([size, -size, rng.standard_normal((2, 5))])}


def _float32(rng):
    return {"input": np.concatenate([[-200.0, 200.0], 3 * rng.standard_normal(11)])}
