"""`bert.Pooler`: one vector for a whole row."""

from __future__ import annotations

from dataclasses import replace

from grader.author.exercise import Call, Case, Exercise
from grader.exercises.transformer import dense

EXERCISE = Exercise(
    title="The pooler",
    section="bert-heads",
    cases=(
        Case("a batch", lambda rng: _pooler(rng, 3, 5), 2, grad=("hidden",)),
        Case("one row", lambda rng: _pooler(rng, 1, 7), grad=("hidden",), corner=True),
        Case("one position", lambda rng: _pooler(rng, 5, 1), grad=("hidden",), corner=True),
        Case("large numbers", lambda rng: _large(rng), grad=("hidden",), corner=True),
        Case("in training mode", lambda rng: replace(_pooler(rng, 3, 5), training=True)),
        Case("in float32", lambda rng: _pooler(rng, 3, 5), dtype="float32"),
        Case("as it is made", lambda rng: _fresh(), probe="fresh"),
        Case("on a device", lambda rng: _fresh(device="meta"), probe="fresh"),
        Case("many rows", lambda rng: _pooler(rng, 13, 2), grad=("hidden",), hidden=True),
    ),
    hint="`hidden[:, 0]`, a layer, and a tanh.",
)


def _pooler(rng, count, length):
    return Call(
        init={"embed_dim": 6},
        state=dense(rng, "dense", 6, 6),
        args={"hidden": rng.standard_normal((count, length, 6))},
    )


def _large(rng):
    """Once as large as it may be and tanh still has a gradient; once beyond any exponential."""
    call = _pooler(rng, 3, 5)
    return replace(call, args={"hidden": call.args["hidden"] * [[[3]], [[3]], [[3000]]]})


def _fresh(**init):
    return Call(args={}, init={"embed_dim": 61} | init)
