"""`distributed.shard`: flat parts of one length."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise
from grader.exercises.distributed import few

EXERCISE = Exercise(
    title="Shards with padding",
    section="collectives",
    tolerance=1e-9,
    cases=(
        Case("a matrix", lambda rng: _cut(rng, 4, 3, 5), 2),
        Case("a vector", lambda rng: _cut(rng, 2, 7)),
        Case("nothing to append", lambda rng: _cut(rng, 3, 2, 6), grad=("tensor",)),
        Case("much to append", lambda rng: _cut(rng, 5, 11), grad=("tensor",)),
        Case(
            "more devices than whole numbers",
            lambda rng: {"tensor": rng.integers(1, 9, 3), "devices": 5},
            corner=True,
        ),
        Case("one device", lambda rng: _cut(rng, 1, 2, 3), corner=True),
        Case("one number", lambda rng: _cut(rng, 3), corner=True),
        Case("no number", lambda rng: _cut(rng, 3, 0, 2), corner=True),
        Case("in float16", lambda rng: _cut(rng, 2, 5), dtype="float16"),
        Case("three axes", lambda rng: _cut(rng, 4, 3, 1, 3), hidden=True),
    ),
    hint="⌈N/n⌉ is `-(-N // n)`. `F.pad(flat, (0, missing))` appends zeros.",
)


def _cut(rng, devices, *shape):
    return {"tensor": few(rng, *shape), "devices": devices}
