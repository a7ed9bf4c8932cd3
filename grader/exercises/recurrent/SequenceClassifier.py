"""`recurrent.SequenceClassifier`: an encoder with an MLP on its last state."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from grader.author.exercise import Call, Case, Exercise
from grader.exercises.recurrent import CELLS, READY_MADE, layer_state

RAGGED = np.array([2, 4, 1])  # lengths of three


def _net(rng, *, kind="gru", both=False, lengths=RAGGED, longest=4):
    width = 10 if both else 5
    state = {
        "embedding.weight": rng.standard_normal((11, 3)),
        **{f"layer.{name}": value for name, value in layer_state(rng, kind, both=both).items()},
        "hidden.weight": rng.standard_normal((5, width)),
        "hidden.bias": rng.standard_normal(5),
        "output.weight": rng.standard_normal((4, 5)),
        "output.bias": rng.standard_normal(4),
    }
    init = {"symbols": 11, "classes": 4, "embed_dim": 3, "hidden_size": 5, "kind": kind}
    return Call(
        init={**init, "bidirectional": both},
        state=state,
        args={"tokens": rng.integers(0, 11, (len(lengths), longest)), "lengths": lengths},
    )


def _default(rng):
    call = _net(rng)
    init = {name: call.init[name] for name in ("symbols", "classes", "embed_dim", "hidden_size")}
    return replace(call, init=init)


def _fresh(**init):
    sizes = {"symbols": 41, "classes": 13, "embed_dim": 17, "hidden_size": 29}
    return Call(args={}, init={**sizes, **init})


EXERCISE = Exercise(
    title="A sequence classifier",
    section="encoder",
    cases=(
        Case("three lengths", lambda rng: _net(rng), 2),
        Case("both ways", lambda rng: _net(rng, both=True), 2),
        Case("an LSTM", lambda rng: _net(rng, kind="lstm")),
        Case("much padding", lambda rng: _net(rng, lengths=np.array([3, 1]), longest=7)),
        Case("with its defaults", lambda rng: _default(rng)),
        Case("as it is made", lambda rng: _fresh(), probe="fresh"),
        Case("both ways, as it is made", lambda rng: _fresh(bidirectional=True), probe="fresh"),
        Case("on a device", lambda rng: _fresh(device="meta"), probe="fresh"),
        Case("one sequence", lambda rng: _net(rng, lengths=np.array([4])), corner=True),
        Case("in training mode", lambda rng: replace(_net(rng), training=True)),
        Case("Elman's cell, both ways", lambda rng: _net(rng, kind="rnn", both=True), hidden=True),
        Case("in float32", lambda rng: _net(rng), dtype="float32"),
        Case("large activations", lambda rng: _large(rng), corner=True),
    ),
    hint="Your `last_states` picks the outputs that the head reads; mind `bidirectional`.",
    forbidden=READY_MADE,
    needs=(*CELLS, "reverse_padded", "last_states", "unroll", "Recurrent"),
)


def _large(rng):
    """A ReLU has no upper end."""
    call = _net(rng)
    call.state["hidden.weight"] *= 1e3
    return call
