"""`self_attention.iterated_self_attention`: self-attention without parameters, level by level."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise
from grader.exercises.self_attention import READY_MADE

EXERCISE = Exercise(
    title="Self-attention without parameters, iterated",
    section="iterated-self-attention",
    hint=(
        "Keep a list that starts with x. Each turn of the loop makes one new x from the last "
        "one, which is query, key and value at once."
    ),
    forbidden=READY_MADE,
    cases=(
        Case(
            "two levels",
            lambda rng: {"x": 0.6 * rng.standard_normal((5, 7)), "levels": 2},
            grad=("x",),
        ),
        Case(
            "six levels",
            lambda rng: {"x": 0.8 * rng.standard_normal((5, 3)), "levels": 6},
            grad=("x",),
        ),
        Case(
            "a batch",
            lambda rng: {"x": 0.5 * rng.standard_normal((2, 3, 7)), "levels": 3},
            grad=("x",),
        ),
        Case("one level is the input", lambda rng: {"x": rng.standard_normal((3, 2)), "levels": 1}),
        Case(
            "no level",
            lambda rng: {"x": rng.standard_normal((3, 2)), "levels": 0},
            raises="ValueError",
        ),
        Case(
            "fewer than none",
            lambda rng: {"x": rng.standard_normal((3, 2)), "levels": -1},
            raises="ValueError",
        ),
        Case(
            "in float32",
            lambda rng: {"x": 0.6 * rng.standard_normal((5, 7)), "levels": 2},
            dtype="float32",
        ),
        Case(
            "two batch axes",
            lambda rng: {"x": 0.5 * rng.standard_normal((2, 5, 3, 7)), "levels": 3},
            grad=("x",),
            corner=True,
        ),
        Case(
            "long vectors",
            lambda rng: {"x": 30 * rng.standard_normal((5, 7)), "levels": 3},
            corner=True,
        ),
        Case(
            "a batch of one",
            lambda rng: {"x": 0.7 * rng.standard_normal((1, 4, 5)), "levels": 5},
            grad=("x",),
            hidden=True,
        ),
    ),
)
