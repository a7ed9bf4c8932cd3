"""`distributed.parallel_feed_forward`: hidden units on several devices."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise
from grader.exercises.distributed import each, few, fixed

GRAD = ("inputs[0]", "inputs[1]", "up[1]", "up_bias[0]", "down[0]", "down_bias[1]")
EXERCISE = Exercise(
    title="Tensor parallelism of a feed-forward network",
    section="tensor-parallel",
    tolerance=1e-9,
    cases=(
        Case("two devices", lambda rng: _given(rng, 2, 3, (5,)), 3, grad=GRAD),
        Case("three devices", lambda rng: _given(rng, 3, 2, (2, 3)), 2, grad=GRAD),
        Case("no gradient", lambda rng: _given(rng, 2, 1, (3,))),
        Case("one vector", lambda rng: _in_tuples(_given(rng, 2, 3, ())), corner=True),
        Case("one device", lambda rng: _given(rng, 1, 3, (1,)), corner=True),
        Case("in float16", lambda rng: _given(rng, 2, 2, (2,)), dtype="float16", grad=GRAD),
        Case("four devices", lambda rng: _given(rng, 4, 1, (3,)), grad=GRAD, hidden=True),
    ),
    hint=(
        "Enter with the inputs, compute with each device's own units, leave with the partial "
        "results. The second bias is not divided: where must it be added?"
    ),
    needs=("leave_parallel",),
)


def _in_tuples(given):
    return {name: fixed(items) for name, items in given.items()}


def _given(rng, devices, units, batch, features=3):
    x, bias = few(rng, *batch, features), few(rng, features)
    return {
        "inputs": [x.copy() for _ in range(devices)],
        "up": each(rng, devices, units, features),
        "up_bias": each(rng, devices, units),
        "down": each(rng, devices, features, units),
        "down_bias": [bias.copy() for _ in range(devices)],
    }
