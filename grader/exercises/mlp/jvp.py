"""`mlp.jvp`: forward mode."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise
from grader.exercises.mlp import AUTOGRAD, SIZES, B
from grader.exercises.mlp.backward import _back

EXERCISE = Exercise(
    title="Forward-mode differentiation: Jacobian-vector products",
    section="jacobian-products",
    tolerance=1e-10,
    cases=(
        Case("three layers, tanh", lambda rng: _along(rng, "tanh"), 2),
        Case("three layers, ReLU", lambda rng: _along(rng, "relu")),
        Case("all of one width", lambda rng: _along(rng, "sigmoid", (5, 5, 5, 5)), 2),
        Case("one layer", lambda rng: _along(rng, "sigmoid", (7, 3)), corner=True),
        Case("no activation", lambda rng: _along(rng, "identity")),
        Case("one of everything", lambda rng: _along(rng, "tanh", (1, 1, 1), 1), corner=True),
        Case("float32", lambda rng: _along(rng, "tanh"), dtype="float32"),
        Case("five layers", lambda rng: _along(rng, "tanh", (7, 3, 5, 2, 11, 3)), hidden=True),
        Case("a direction of zeros", lambda rng: _still(rng), corner=True),
        Case("far-out numbers", lambda rng: _far(rng), corner=True),
    ),
    hint=(
        "Follow the forward pass, without biases: each layer multiplies the tangent by W, and "
        "each activation multiplies it by its slopes, which `activation_backward` computes."
    ),
    forbidden=(
        *AUTOGRAD,
        "torch.func.jvp",
        "torch.func.linearize",
        "torch.autograd.functional.jvp",
        "torch.autograd.forward_ad.make_dual",
    ),
    needs=("activation_backward",),
)


def _along(rng, activation, sizes=SIZES, count=B):
    drawn = _back(rng, activation, sizes, count)
    del drawn["grad"]
    return {"tangent": rng.standard_normal((count, sizes[0])), **drawn}


def _far(rng):
    """Far beyond what is commonly clamped."""
    drawn = _along(rng, "tanh", (3, 5, 2), 2)
    return {**drawn, "tangent": 1e12 * drawn["tangent"]}


def _still(rng):
    drawn = _along(rng, "tanh", (3, 2, 5), 2)
    return {**drawn, "tangent": 0 * drawn["tangent"]}
