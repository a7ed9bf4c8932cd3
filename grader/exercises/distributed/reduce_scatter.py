"""`distributed.reduce_scatter`: each device gets its part of the sum."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise
from grader.exercises.distributed import each, fine, fixed

EXERCISE = Exercise(
    title="Reduce-scatter",
    section="collectives",
    tolerance=1e-9,
    cases=(
        Case("three devices", lambda rng: {"parts": each(rng, 3, 6, 2)}, 2),
        Case(
            "two devices",
            lambda rng: {"parts": fine(rng, 2, 4, 3)},
            grad=("parts[0]", "parts[1]"),
        ),
        Case("vectors", lambda rng: {"parts": each(rng, 3, 6)}),
        Case("a row each", lambda rng: {"parts": fixed(each(rng, 3, 3, 2))}, corner=True),
        Case("no row", lambda rng: {"parts": each(rng, 2, 0, 3)}, corner=True),
        Case("one device", lambda rng: {"parts": each(rng, 1, 2)}, corner=True),
        Case("in float16", lambda rng: {"parts": each(rng, 2, 4)}, dtype="float16"),
        Case(
            "rows that cannot be shared",
            lambda rng: {"parts": each(rng, 2, 3, 2)},
            raises="ValueError",
        ),
        Case("three axes", lambda rng: {"parts": each(rng, 4, 8, 1, 2)}, hidden=True),
    ),
    hint="Add the tensors first, then cut the sum along its first axis, for example with `chunk`.",
)
