"""`mlp.collapse`: a stack of linear layers is one."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise
from grader.exercises.mlp import network

EXERCISE = Exercise(
    title="Collapsing a stack of linear layers into one",
    section="collapse",
    tolerance=1e-10,
    cases=(
        Case(
            "three layers",
            lambda rng: network(rng),
            2,
            grad=("weights[0]", "weights[2]", "biases[0]"),
        ),
        Case("all of one width", lambda rng: network(rng, (5, 5, 5, 5)), 2),
        Case("one layer", lambda rng: network(rng, (7, 5)), corner=True),
        Case("through a narrow place", lambda rng: network(rng, (7, 2, 5))),
        Case("one of everything", lambda rng: network(rng, (1, 1, 1, 1)), corner=True),
        Case("float32", lambda rng: network(rng), dtype="float32"),
        Case("five layers", lambda rng: network(rng, (2, 3, 5, 7, 11, 13)), hidden=True),
    ),
    hint=(
        "Two layers first: W₂ (W₁ x + b₁) + b₂. Multiply out, and read off the new weight and the "
        "new bias."
    ),
    returns=("the weight", "the bias"),
)
