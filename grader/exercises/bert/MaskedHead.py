"""`bert.MaskedHead`: what fills in."""

from __future__ import annotations

from dataclasses import replace

from grader.author.exercise import Call, Case, Exercise
from grader.exercises.transformer import dense, norm

EXERCISE = Exercise(
    title="The masked language modeling head",
    section="bert-heads",
    cases=(
        Case("a batch", lambda rng: _head(rng, 2, 5), 3, grad=("hidden", "table")),
        Case("chosen positions alone", lambda rng: _head(rng, 7), 2, grad=("hidden", "table")),
        Case("one position", lambda rng: _head(rng, 1, 1), grad=("hidden", "table"), corner=True),
        Case("another eps", lambda rng: _head(rng, 2, 5, eps=0.5), grad=("hidden",)),
        Case("large numbers", lambda rng: _large(rng), grad=("hidden",), corner=True),
        Case("in training mode", lambda rng: replace(_head(rng, 2, 3), training=True)),
        Case("in float32", lambda rng: _head(rng, 2, 5), dtype="float32"),
        Case("as it is made", lambda rng: _fresh(), probe="fresh"),
        Case("on a device", lambda rng: _fresh(device="meta"), probe="fresh"),
        Case("no position", lambda rng: _head(rng, 0), hidden=True),
        Case("more axes", lambda rng: _head(rng, 2, 3, 2), grad=("hidden", "table"), hidden=True),
    ),
    hint="Linear, GELU, norm, in this order; then `F.linear` with the table as its weight.",
)


def _head(rng, *shape, **init):
    state = dense(rng, "transform", 6, 6) | norm(rng, "norm", 6)
    return Call(
        init={"vocabulary": 11, "embed_dim": 6, **init},
        state=state | {"bias": rng.standard_normal(11)},
        args={"hidden": rng.standard_normal((*shape, 6)), "table": rng.standard_normal((11, 6))},
    )


def _large(rng):
    call = _head(rng, 2, 5)
    return replace(call, args=call.args | {"hidden": 9 * call.args["hidden"]})


def _fresh(**init):
    return Call(args={}, init={"vocabulary": 101, "embed_dim": 60} | init)
