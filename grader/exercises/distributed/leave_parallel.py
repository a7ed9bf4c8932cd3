"""`distributed.leave_parallel`: a sum forward, nothing backward."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise
from grader.exercises.distributed import each, fine, fixed

EXERCISE = Exercise(
    title="A sum with its own gradient",
    section="conjugates",
    tolerance=1e-9,
    cases=(
        Case(
            "three devices",
            lambda rng: {"parts": each(rng, 3, 2, 3)},
            2,
            grad=("parts[0]", "parts[1]", "parts[2]"),
        ),
        Case("two devices", lambda rng: {"parts": each(rng, 2, 5)}, grad=("parts[1]",)),
        Case("no gradient", lambda rng: {"parts": fine(rng, 4, 3)}),
        Case("one number each", lambda rng: {"parts": fixed(each(rng, 2, 1, 1))}, corner=True),
        Case("one device", lambda rng: {"parts": each(rng, 1, 2)}, grad=("parts[0]",), corner=True),
        Case(
            "in float16",
            lambda rng: {"parts": each(rng, 2, 3)},
            dtype="float16",
            grad=("parts[0]",),
        ),
        Case(
            "five devices",
            lambda rng: {"parts": each(rng, 5, 1, 2)},
            grad=("parts[0]", "parts[4]"),
            hidden=True,
        ),
    ),
    hint=(
        "Either write a `torch.autograd.Function` like the one of `enter_parallel`, or add to each "
        "tensor what is missing to the sum, detached."
    ),
)
