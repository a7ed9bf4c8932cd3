"""`mlp.backward`: backpropagation."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.mlp import AUTOGRAD, SIZES, B, network

EXERCISE = Exercise(
    title="Backpropagation",
    section="backpropagation",
    tolerance=1e-10,
    cases=(
        Case("three layers, tanh", lambda rng: _back(rng, "tanh"), 2),
        Case("three layers, ReLU", lambda rng: _back(rng, "relu"), 2),
        Case("all of one width", lambda rng: _back(rng, "sigmoid", (5, 5, 5, 5), 5), 2),
        Case("one layer", lambda rng: _back(rng, "sigmoid", (7, 3)), corner=True),
        Case("five layers", lambda rng: _back(rng, "tanh", (7, 3, 5, 2, 11, 3)), hidden=True),
        Case("no activation", lambda rng: _back(rng, "identity")),
        Case("one of everything", lambda rng: _back(rng, "tanh", (1, 1, 1), 1), corner=True),
        Case("float32", lambda rng: _back(rng, "sigmoid"), dtype="float32"),
        Case("far-out numbers", lambda rng: _far(rng), corner=True),
    ),
    hint=(
        "From the last layer down: `linear_backward` with the layer's input; then, if there is a "
        "layer below, `activation_backward` with that same tensor: it is the output of the layer "
        "below."
    ),
    forbidden=AUTOGRAD,
    needs=("activation_backward", "linear_backward"),
    returns=("the gradient of x", "the gradient of W_{1}", "the gradient of b_{1}"),
)


def _back(rng, activation, sizes=SIZES, count=B):
    stack = network(rng, sizes)
    outputs = [rng.standard_normal((count, sizes[0]))]
    for weight, bias in zip(stack["weights"][:-1], stack["biases"][:-1], strict=True):
        a = outputs[-1] @ weight.T + bias
        apply = {
            "relu": lambda a: np.maximum(a, 0.0),
            "sigmoid": lambda a: 1 / (1 + np.exp(-a)),
            "tanh": np.tanh,
            "identity": np.copy,
        }
        outputs.append(apply[activation](a))
    return {
        "grad": rng.standard_normal((count, sizes[-1])),
        "outputs": outputs,
        "weights": stack["weights"],
        "activation": activation,
    }


def _far(rng):
    """Far beyond what is commonly clamped."""
    drawn = _back(rng, "tanh")
    return {**drawn, "grad": 1e12 * drawn["grad"]}
