"""`training.clip_by_global_norm`: clip the gradient."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.training import C, D


def lengths(rng, scale, max_norm):
    shapes = (C, D), (D,), (2, 3, 5)
    gradients = [scale * rng.standard_normal(shape) for shape in shapes]
    gradients[1] *= 10  # most of the length is here
    return {"gradients": gradients, "max_norm": max_norm}


def _tiny_factor(rng):
    """Large gradients and a short length: in float16 their quotient is 0, what is left is not."""
    return lengths(rng, 1000.0, 1e-3) | {"gradients": [20_000 * rng.choice([-1.0, 1.0], (C, D))]}


EXERCISE = Exercise(
    title="Gradient clipping by the global norm",
    section="clipping",
    tolerance=1e-10,
    cases=(
        Case("too long", lambda rng: lengths(rng, 3.0, 1.5), 2),
        Case("short enough", lambda rng: lengths(rng, 1e-3, 1.5), 2),
        Case("all zero", lambda rng: lengths(rng, 0.0, 1.0)),
        Case(
            "a single tensor",
            lambda rng: {"gradients": [rng.standard_normal(D)], "max_norm": 0.1},
            corner=True,
        ),
        Case("small, and still too long", lambda rng: lengths(rng, 1e-6, 1e-6)),
        Case(
            "a single number",
            lambda rng: {"gradients": [np.array(-3.1)], "max_norm": 2.0},
            corner=True,
        ),
        Case("one is too long, by itself", lambda rng: _one_long(rng)),
        Case("of three dtypes", lambda rng: _three_dtypes(), corner=True),
        Case("one without entries", lambda rng: _one_empty(rng)),
        Case("single precision", lambda rng: lengths(rng, 3.0, 1.5), dtype="float32"),
        Case("half precision", lambda rng: lengths(rng, 3.0, 1.5), dtype="bfloat16"),
        Case(
            "half precision, too long to be squared in it",
            lambda rng: lengths(rng, 300.0, 1.5),
            dtype="float16",
        ),
        Case("half precision, and a factor too small for it", _tiny_factor, dtype="float16"),
        Case("huge", lambda rng: lengths(rng, 1e30, 1.0), hidden=True),
    ),
    hint=(
        "One norm for all of them: the root of the sum of all squares. One factor for all of "
        "them, and never above 1."
    ),
    forbidden=("nn.utils.clip_grad_norm_", "nn.utils.clip_grad_value_"),
    returns=("clipped gradient {1}", "the norm"),
)


def _one_long(rng):
    drawn = lengths(rng, 0.01, 1.0)
    drawn["gradients"][2] *= 1000
    return drawn


def _three_dtypes():
    """Lengths 1370, 4110 and 2055, and so 4795, of which the half is wanted: nothing is rounded,
    unless 2055 is made a float16."""
    single, half = np.array(-1370, np.float32), np.float16([1233, 1644])
    return {"gradients": [single, np.array([[4110.0, 0.0]]), half], "max_norm": 2397.5}


def _one_empty(rng):
    gradients = [rng.standard_normal(shape) for shape in ((3,), (0, 2), (2, 1))]
    return {"gradients": gradients, "max_norm": 0.5}
