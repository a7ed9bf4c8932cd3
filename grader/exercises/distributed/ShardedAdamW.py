"""`distributed.ShardedAdamW`: every device steps its own shard."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Call, Case, Exercise
from grader.exercises.distributed import each, few

EXERCISE = Exercise(
    title="AdamW in shards",
    section="sharded-optimizer",
    tolerance=1e-8,
    cases=(
        Case("two steps", lambda rng: _train(rng, 3, 2, 6), 2),
        Case("three steps, padded shards", lambda rng: _train(rng, 2, 7, steps=3), 2),
        Case(
            "a clipped gradient",
            lambda rng: _train(rng, 3, 6, lr=0.5, eps=1.0, max_norm=0.25),
            2,
        ),
        Case(
            "a gradient below the limit",
            lambda rng: _train(rng, 2, 6, lr=0.5, eps=1.0, max_norm=64.0),
        ),
        Case(
            "other settings",
            lambda rng: _train(rng, 2, 4, betas=[0.5, 0.75], eps=0.125, weight_decay=0.5),
        ),
        Case("what it keeps", lambda rng: _kept(rng, 2, 3, 1), 2),
        Case(
            "one device, a limit of 0", lambda rng: _train(rng, 1, 1, 3, max_norm=0.0), corner=True
        ),
        Case(
            "no gradient, one number, a limit of 0",
            lambda rng: _train(rng, 2, size=0, max_norm=0.0),
            corner=True,
        ),
        Case(
            "no gradient",
            lambda rng: _train(rng, 2, 3, size=0, weight_decay=0.5, max_norm=1.0),
            corner=True,
        ),
        Case("in float32", lambda rng: _narrow(rng), dtype="float32"),
        Case("float32 gradients that nearly cancel", lambda rng: _canceled(rng), dtype="float32"),
        Case("four devices", lambda rng: _train(rng, 4, 3, 3, max_norm=0.5, eps=1.0), hidden=True),
    ),
    hint=(
        "Pad every gradient before `reduce_scatter`, and divide the sums by the number of devices. "
        "`adamw_step` returns three tensors. The norm needs the squares of all shards."
    ),
    needs=("reduce_scatter", "shard"),
)


def _train(rng, devices, *shape, steps=2, size=1, **options):
    return Call(
        init={"parameters": few(rng, *shape), "devices": devices, "lr": 0.125, **options},
        steps=tuple(
            ("step", {"gradients": [np.asarray(size * of) for of in each(rng, devices, *shape)]})
            for _ in range(steps)
        ),
    )


def _narrow(rng):
    """Parameters in float32 as well."""
    call = _train(rng, 2, 5)
    narrow = call.init["parameters"].astype(np.float32)
    return Call(init={**call.init, "parameters": narrow}, steps=call.steps)


def _canceled(rng):
    """The first gradient is so large that float32 cannot add another one to it."""
    call = _train(rng, 3, 4)
    for _, given in call.steps:
        huge = 2.0**26 * rng.choice([-1, 1], 4)
        given["gradients"][0], given["gradients"][2] = huge, -huge
    return call


def _kept(rng, *given):
    call = _train(rng, *given)
    names = ("shards", "exp_avg", "exp_avg_sq", "steps")
    return Call(init=call.init, steps=(*call.steps, *((name, None) for name in names)))
