"""`mlp.forward`: forward, with a cache."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise
from grader.exercises.mlp import SIZES, B, network

EXERCISE = Exercise(
    title="The forward pass, with a cache",
    section="backpropagation",
    tolerance=1e-10,
    cases=(
        Case("three layers, ReLU", lambda rng: _pass(rng, "relu"), 2, grad=("x",)),
        Case("three layers, tanh", lambda rng: _pass(rng, "tanh"), grad=("x",)),
        Case(
            "gradients of all weights and biases",
            lambda rng: _pass(rng, "tanh"),
            grad=tuple(f"{name}[{layer}]" for name in ("weights", "biases") for layer in range(3)),
        ),
        Case("one layer", lambda rng: _pass(rng, "relu", (7, 3)), corner=True),
        Case("all of one width", lambda rng: _pass(rng, "sigmoid", (5, 5, 5, 5), 5)),
        Case("no activation", lambda rng: _pass(rng, "identity")),
        Case("one of everything", lambda rng: _pass(rng, "tanh", (1, 1, 1), 1), corner=True),
        Case("float32", lambda rng: _pass(rng, "relu"), grad=("x",), dtype="float32"),
        Case("five layers", lambda rng: _pass(rng, "tanh", (7, 3, 5, 2, 11, 3)), hidden=True),
        Case("far-out numbers", lambda rng: _far(rng), grad=("x",), corner=True),
    ),
    hint=(
        "Start the list with x. Every hidden layer appends its o_l; the last layer's scores are "
        "returned and not appended."
    ),
    needs=("relu", "sigmoid"),
    returns=("the matrix of scores", "the output o_{0}"),
)


def _pass(rng, activation, sizes=SIZES, count=B):
    x = rng.standard_normal((count, sizes[0]))
    return {"x": x, **network(rng, sizes), "activation": activation}


def _far(rng):
    """Far beyond what is commonly clamped."""
    drawn = _pass(rng, "relu")
    return {**drawn, "x": 1e12 * drawn["x"]}
