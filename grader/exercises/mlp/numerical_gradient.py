"""`mlp.numerical_gradient`: a gradient, measured."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.mlp import AUTOGRAD, network

EXERCISE = Exercise(
    title="A numerical gradient: finite differences",
    section="gradient-check",
    tolerance=1e-6,
    cases=(
        Case("the first layer", lambda rng: _measured(rng, "tanh", layer=0), 2),
        Case("the last layer", lambda rng: _measured(rng, "sigmoid", layer=1)),
        Case("a long step", lambda rng: _measured(rng, "tanh", layer=0, step=0.5), 2),
        Case("weights of all sizes", lambda rng: _uneven(rng)),
        Case("between others", lambda rng: _measured(rng, "tanh", layer=1, sizes=(3, 4, 3, 2))),
        Case("one example", lambda rng: _measured(rng, "tanh", layer=0, count=1), corner=True),
        Case("float32", lambda rng: _measured(rng, "tanh", layer=1, step=0.5), dtype="float32"),
        Case("ReLU", lambda rng: _measured(rng, "relu", layer=1, step=0.3), hidden=True),
        Case(
            "one hidden unit",
            lambda rng: _measured(rng, "tanh", layer=1, sizes=(3, 1, 2)),
            corner=True,
        ),
    ),
    hint=(
        "For every entry: copy the weights, add ε to this entry, and compute the loss; do the "
        "same with −ε; divide the difference by 2ε."
    ),
    forbidden=(*AUTOGRAD, "torch.func.jacrev", "torch.autograd.functional.jacobian"),
    needs=("forward",),
)


def _measured(rng, activation, *, layer, step=0.1, sizes=(3, 4, 2), count=5):
    return {
        "x": rng.standard_normal((count, 3)),
        "target": rng.integers(2, size=count),
        **network(rng, sizes),
        "activation": activation,
        "layer": layer,
        "step": step,
    }


def _uneven(rng):
    drawn = _measured(rng, "tanh", layer=1, step=0.2)
    drawn["weights"][1] *= np.array([[5.0], [0.2]])
    return drawn
