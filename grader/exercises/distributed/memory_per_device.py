"""`distributed.memory_per_device`: bytes of the training state."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise

EXERCISE = Exercise(
    title="Memory per device",
    section="sharded-memory",
    cases=(
        Case("everything everywhere", lambda rng: _model(rng, 0)),
        Case("the optimizer sharded", lambda rng: _model(rng, 1), 2),
        Case("gradients, too", lambda rng: _model(rng, 2), 2),
        Case("parameters, too", lambda rng: _model(rng, 3), 2),
        Case("other numbers of bytes", lambda rng: _model(rng, 2) | _sizes(rng)),
        Case("the same, nothing in shards", lambda rng: _model(rng, 0) | _sizes(rng)),
        Case("the same, the optimizer in shards", lambda rng: _model(rng, 1) | _sizes(rng)),
        Case("the same, all in shards", lambda rng: _model(rng, 3) | _sizes(rng)),
        Case("one device", lambda rng: _model(rng, 3) | {"devices": 1}, corner=True),
        Case("shards with padding", lambda rng: _padded(rng, 3), corner=True),
        Case("fewer parameters than devices", lambda rng: _tiny(rng), corner=True),
        Case("no such stage", lambda rng: _model(rng, 4), raises="ValueError"),
        Case("a negative stage", lambda rng: _model(rng, -1), raises="ValueError"),
        Case("padding in stage 1", lambda rng: _padded(rng, 1), hidden=True, corner=True),
    ),
    hint="⌈N/n⌉ is `-(-N // n)`. Add up three products: a count times its bytes.",
)


def _model(rng, stage):
    devices = int(rng.integers(3, 12))
    return {
        "parameters": devices * int(rng.integers(100, 1000)),
        "devices": devices,
        "stage": stage,
    }


def _sizes(rng):
    names = ("parameter_bytes", "gradient_bytes", "optimizer_bytes")
    return dict(zip(names, map(int, rng.permutation([3, 5, 7])), strict=True))


def _padded(rng, stage):
    given = _model(rng, stage)
    return given | {"parameters": given["parameters"] + 1}


def _tiny(rng):
    devices = int(rng.integers(20, 30))
    return {"parameters": int(rng.integers(3, 15)), "devices": devices, "stage": 2}
