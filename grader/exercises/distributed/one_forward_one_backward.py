"""`distributed.one_forward_one_backward`: the order of a stage's jobs."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise

EXERCISE = Exercise(
    title="The schedule 1F1B",
    section="one-f-one-b",
    cases=(
        Case("the first stage", lambda rng: _stage(rng, 0), 2),
        Case("a stage in the middle", lambda rng: _stage(rng, 1), 2),
        Case("the last stage", lambda rng: _stage(rng, 3), 2),
        Case("more than ten microbatches", lambda rng: _many(rng)),
        Case("fewer microbatches than stages", lambda rng: _few(rng), corner=True),
        Case("few microbatches in a late stage", lambda rng: _late(rng), corner=True),
        Case("one stage", lambda rng: _stage(rng, 0, 1), corner=True),
        Case("one microbatch", lambda rng: _one(rng), corner=True),
        Case("six stages", lambda rng: _stage(rng, 3, 6), hidden=True),
    ),
    hint=(
        "A stage begins with min(m, p − 1 − stage) forward passes. Before each backward pass, do "
        "one more forward pass, as long as there is one."
    ),
)


def _stage(rng, stage, stages=4):
    return {"stage": stage, "stages": stages, "microbatches": int(rng.integers(stages + 1, 10))}


def _many(rng):
    return {"stage": 2, "stages": 5, "microbatches": int(rng.integers(11, 15))}


def _few(rng):
    stages = int(rng.integers(6, 12))
    return {"stage": 1, "stages": stages, "microbatches": int(rng.integers(2, 5))}


def _late(rng):
    """Fewer than stages, and more than stages after this one."""
    return {"stage": 4, "stages": 6, "microbatches": int(rng.integers(3, 6))}


def _one(rng):
    stages = int(rng.integers(2, 9))
    return {"stage": int(rng.integers(0, stages)), "stages": stages, "microbatches": 1}
