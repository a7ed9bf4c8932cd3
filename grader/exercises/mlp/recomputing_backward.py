"""`mlp.recomputing_backward`: remember less, compute twice."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise
from grader.exercises.mlp import AUTOGRAD
from grader.exercises.mlp.backward import _back

WIDE = (7, 3, 5, 2, 11, 3, 5, 13)

EXERCISE = Exercise(
    title="Gradient checkpointing: recomputing activations",
    section="recomputing",
    tolerance=1e-10,
    cases=(
        Case("stretches of two and a rest", lambda rng: _sparse(rng, "tanh", 2), 2),
        Case("stretches of three", lambda rng: _sparse(rng, "sigmoid", 3, WIDE[:7]), 2),
        Case("ReLU", lambda rng: _sparse(rng, "relu", 3)),
        Case("all of one width", lambda rng: _sparse(rng, "sigmoid", 2, (5,) * 6)),
        Case("everything kept", lambda rng: _sparse(rng, "tanh", 1)),
        Case("the input alone", lambda rng: _sparse(rng, "tanh", 7), corner=True),
        Case(
            "a stretch longer than the network",
            lambda rng: _sparse(rng, "tanh", 4, WIDE[:3]),
            corner=True,
        ),
        Case("float32", lambda rng: _sparse(rng, "tanh", 2), dtype="float32"),
        Case("one layer", lambda rng: _sparse(rng, "relu", 2, (7, 3)), hidden=True, corner=True),
        Case("stretches of four", lambda rng: _sparse(rng, "tanh", 4), hidden=True),
        Case("one hidden unit", lambda rng: _sparse(rng, "tanh", 2, (7, 1, 5, 3)), corner=True),
    ),
    hint=(
        "`forward` on the weights and biases of one stretch returns the outputs that `backward` "
        "needs there. Between two stretches lies one activation, and its output was kept."
    ),
    forbidden=AUTOGRAD,
    needs=("forward", "backward", "activation_backward"),
    returns=("the gradient of x", "the gradient of W_{1}", "the gradient of b_{1}"),
)


def _sparse(rng, activation, every, sizes=WIDE):
    """Keep values a little smaller than recomputed ones: they must be used as they are."""
    drawn = _back(rng, activation, sizes, 5)
    outputs = drawn.pop("outputs")
    kept = [outputs[0], *(0.75 * output for output in outputs[every::every])]
    biases = [rng.standard_normal(size) for size in sizes[1:]]
    return {**drawn, "kept": kept, "biases": biases, "every": every}
