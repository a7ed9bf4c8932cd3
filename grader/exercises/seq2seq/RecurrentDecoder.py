"""`seq2seq.RecurrentDecoder`: a decoder that knows the source by one vector."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from grader.author.exercise import Call, Case, Exercise, Returned
from grader.author.parameters import few_bits
from grader.exercises.recurrent import READY_MADE, layer_state

_MEMORY = {"memory": np.ones((4, 3, 3)), "mask": np.ones((4, 3), dtype=bool)}


def _parts(rng, kind="gru"):
    """Parameters: 11 symbols, a summary of 3, embeddings of 2, a state of 5."""
    rows = 10 if kind == "lstm" else 5
    layer = layer_state(rng, kind, features=5)
    made = {
        "bridge.weight": rng.standard_normal((rows, 3)),
        "bridge.bias": rng.standard_normal(rows),
        "embedding.weight": rng.standard_normal((11, 2)),
        **{f"layer.{name}": value for name, value in layer.items()},
        "output.weight": rng.standard_normal((11, 5)),
        "output.bias": rng.standard_normal(11),
    }
    return few_bits(made)


def _fed(rng, length):
    return {"targets_in": rng.integers(0, 11, (4, length)), **_MEMORY}


def _net(rng, kind="gru", *, size=2.0, **settings):
    """Begin, read three tokens, go on with two more."""
    init = {"symbols": 11, "summary_size": 3, "embed_dim": 2, "hidden_size": 5, "kind": kind}
    return Call(
        init=init,
        state=_parts(rng, kind),
        steps=(
            ("begin", {"summary": size * rng.standard_normal((4, 3))}),
            ("", {**_fed(rng, 3), "state": Returned(0)}),
            ("", {**_fed(rng, 2), "state": Returned(1, 1)}),
        ),
        **settings,
    )


def _two(rng):
    """Another source is begun before the first is gone on with: its state is all one knows."""
    call = _net(rng)
    other = ("begin", {"summary": 2 * rng.standard_normal((4, 3))})
    last = ("", {**_fed(rng, 3), "state": Returned(1)})
    return replace(call, steps=(call.steps[0], other, call.steps[1], last))


def _deep(rng):
    """A summary that is itself the state of a decoder: its gradient goes back through `begin`."""
    call = _net(rng)
    layer = layer_state(rng, "gru", features=7)
    state = {**call.state, **{f"layer.{name}": value for name, value in layer.items()}}
    steps = (
        ("begin", {"summary": rng.standard_normal((4, 5))}),
        ("begin", {"summary": Returned(0, 1)}),
        ("", {**_fed(rng, 3), "state": Returned(1)}),
    )
    return replace(
        call,
        init={**call.init, "summary_size": 5},
        state={**state, "bridge.weight": rng.standard_normal((5, 5))},
        steps=steps,
    )


def _one(rng):
    """A single source, of which there is nothing to look at."""
    call = _net(rng)
    memory = {"memory": np.full((1, 3, 3), np.nan), "mask": np.zeros((1, 3), dtype=bool)}
    targets = rng.integers(0, 11, (1, 3))
    steps = (
        ("begin", {"summary": 2 * rng.standard_normal((1, 3))}),
        ("", {"targets_in": targets, **memory, "state": Returned(0)}),
    )
    return replace(call, steps=steps)


def _default(rng):
    call = _net(rng)
    return replace(call, init={name: v for name, v in call.init.items() if name != "kind"})


def _token_by_token(rng):
    """Decode without a teacher: one token, then the next."""
    call, one = _net(rng), {"token": rng.integers(0, 11, 4), **_MEMORY}
    other = {**one, "token": rng.integers(0, 11, 4)}
    steps = (
        call.steps[0],
        ("step", {**one, "state": Returned(0)}),
        ("step", {**other, "state": Returned(1, 1)}),
    )
    return replace(call, steps=steps)


def _fresh(**init):
    sizes = {"symbols": 41, "summary_size": 31, "embed_dim": 17, "hidden_size": 29}
    return Call(args={}, init={**sizes, **init})


EXERCISE = Exercise(
    title="A recurrent decoder with a single context vector",
    section="recurrent-decoder",
    cases=(
        Case("a GRU", lambda rng: _net(rng), 2),
        Case("an LSTM", lambda rng: _net(rng, "lstm"), 2),
        Case("Elman's cell", lambda rng: _net(rng, "rnn")),
        Case("one source", lambda rng: _one(rng), corner=True),
        Case("another source in between", lambda rng: _two(rng)),
        Case("a summary that learns", lambda rng: _deep(rng)),
        Case("token by token", lambda rng: _token_by_token(rng)),
        Case("with its defaults", lambda rng: _default(rng)),
        Case("in float32, a large summary", lambda rng: _net(rng, size=300.0), dtype="float32"),
        Case("as it is made", lambda rng: _fresh(), probe="fresh"),
        Case(
            "an LSTM, as it is made", lambda rng: _fresh(kind="lstm", embed_dim=29), probe="fresh"
        ),
        Case("on a device", lambda rng: _fresh(device="meta"), probe="fresh"),
        Case("in training mode", lambda rng: _net(rng, training=True)),
        Case("another LSTM", lambda rng: _net(rng, "lstm"), hidden=True),
    ),
    hint=(
        "`begin` returns a tuple whose first part is the summary; `forward` takes it apart again. "
        "`Recurrent` expects states of shape (layers, B, H): here one layer."
    ),
    forbidden=READY_MADE,
    needs=("Decoder",),
)
