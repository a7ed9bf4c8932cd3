"""`mlp.linear_backward`: back through a linear layer."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise
from grader.exercises.mlp import AUTOGRAD, B

EXERCISE = Exercise(
    title="The backward pass of a linear layer",
    section="backpropagation",
    tolerance=1e-10,
    cases=(
        Case("a batch", lambda rng: _layer(rng), 2),
        Case("everything square", lambda rng: _layer(rng, 5, 5, 5), 2),
        Case("one example", lambda rng: _layer(rng, 1), corner=True),
        Case("one output", lambda rng: _layer(rng, 11, 7, 1), corner=True),
        Case("one of everything", lambda rng: _layer(rng, 1, 1, 1), corner=True),
        Case("float32", lambda rng: _layer(rng), dtype="float32"),
        Case("one input", lambda rng: _layer(rng, 11, 1, 5), hidden=True, corner=True),
        Case("tiny gradients", lambda rng: _layer(rng, scale=1e-9), hidden=True, corner=True),
        Case("far-out numbers", lambda rng: _layer(rng, scale=1e12), corner=True),
    ),
    hint=(
        "Let the shapes guide you: only one product of δ (B, d_out) and o (B, d_in) is (d_out, "
        "d_in), and it sums over the batch by itself."
    ),
    forbidden=AUTOGRAD,
    returns=("the gradient of o", "the gradient of W", "the gradient of b"),
)


def _layer(rng, count=B, d_in=7, d_out=5, scale=1.0):
    return {
        "grad": scale * rng.standard_normal((count, d_out)),
        "input": rng.standard_normal((count, d_in)),
        "weight": rng.standard_normal((d_out, d_in)),
    }
