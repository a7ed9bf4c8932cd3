"""`distributed.ring_all_reduce`: sums that go around a ring."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise
from grader.exercises.distributed import each, fine, fixed

EXERCISE = Exercise(
    title="All-reduce in a ring",
    section="ring",
    tolerance=1e-9,
    cases=(
        Case("four devices", lambda rng: {"parts": each(rng, 4, 8)}, 2),
        Case("three devices", lambda rng: {"parts": each(rng, 3, 3, 4)}, 2),
        Case("two devices", lambda rng: {"parts": each(rng, 2, 6)}),
        Case("chunks with padding", lambda rng: {"parts": fine(rng, 3, 2, 5)}, corner=True),
        Case("fewer numbers than devices", lambda rng: {"parts": each(rng, 5, 3)}, corner=True),
        Case("one number without an axis", lambda rng: {"parts": each(rng, 3)}, corner=True),
        Case("one device", lambda rng: {"parts": fixed(each(rng, 1, 1, 3))}, corner=True),
        Case("in float16", lambda rng: {"parts": each(rng, 2, 3)}, dtype="float16"),
        Case("five devices", lambda rng: {"parts": each(rng, 5, 5, 2)}, hidden=True),
    ),
    hint=(
        "Number the steps of both rounds in one go, s = 0, …, 2n − 3: then device k always sends "
        "chunk (k − s) mod n. Collect what is sent before you change any chunk: all devices send "
        "at the same time."
    ),
    needs=("shard",),
    returns=("the sums", "how many numbers a device has sent"),
)
