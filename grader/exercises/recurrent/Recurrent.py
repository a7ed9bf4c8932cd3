"""`recurrent.Recurrent`: stacked and bidirectional layers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from grader.author.exercise import Call, Case, Exercise
from grader.exercises.recurrent import CELLS, READY_MADE, layer_state

RAGGED = np.array([2, 4, 1])  # lengths of three


def _layer(rng, kind, *, features=3, layers=1, both=False, bias=True, begin=False, lengths=None):
    batch = 2 if lengths is None else len(lengths)
    args = {"x": rng.standard_normal((batch, 4, features))}
    if begin:
        shape = layers * (1 + both), batch, 5
        args["state"] = rng.standard_normal(shape)
        if kind == "lstm":
            args["state"] = [args["state"], rng.standard_normal(shape)]
    if lengths is not None:
        args["lengths"] = lengths
    return Call(
        init={
            "input_size": features,
            "hidden_size": 5,
            "kind": kind,
            "num_layers": layers,
            "bias": bias,
            "bidirectional": both,
        },
        state=layer_state(rng, kind, features=features, layers=layers, both=both, bias=bias),
        args=args,
    )


def _calls(rng):
    """Lengths and a state are there once, and then not."""
    call = _layer(rng, "gru", both=True, begin=True, lengths=RAGGED)
    calls = [call.args, {"x": rng.standard_normal(call.args["x"].shape)}]
    return replace(call, args={"calls": calls})


def _fresh(**init):
    return Call(args={}, init={"input_size": 7, "hidden_size": 29, **init})


def _at_work(call):
    """The same on a device, where it is made."""
    return replace(call, init={**call.init, "device": "meta"}, state=None)


EXERCISE = Exercise(
    title="Stacked and bidirectional recurrent layers",
    section="recurrent-layers",
    cases=(
        Case("one layer of Elman's", lambda rng: _layer(rng, "rnn"), grad=("x",)),
        Case("a stack of three LSTMs", lambda rng: _layer(rng, "lstm", layers=3), 2, grad=("x",)),
        Case(
            "as many features as hidden",
            lambda rng: _layer(rng, "rnn", features=5, layers=2),
            grad=("x",),
        ),
        Case("a GRU both ways", lambda rng: _layer(rng, "gru", both=True), 2, grad=("x",)),
        Case(
            "two layers both ways, with a state to begin with",
            lambda rng: _layer(rng, "lstm", layers=2, both=True, begin=True),
            grad=("x",),
        ),
        Case(
            "a state to begin with",
            lambda rng: _layer(rng, "gru", layers=2, begin=True),
            grad=("x", "state"),
        ),
        Case(
            "lengths, both ways",
            lambda rng: _layer(rng, "lstm", layers=2, both=True, lengths=RAGGED),
            2,
            grad=("x",),
        ),
        Case("no biases", lambda rng: _layer(rng, "gru", layers=2, bias=False), grad=("x",)),
        Case(
            "as it is made",
            lambda rng: _fresh(kind="lstm", num_layers=2, bidirectional=True),
            probe="fresh",
        ),
        Case("several calls", lambda rng: _calls(rng), probe="calls"),
        Case("with its defaults", lambda rng: _fresh(), probe="fresh"),
        Case("no biases, as it is made", lambda rng: _fresh(kind="gru", bias=False), probe="fresh"),
        Case(
            "at work on a device",
            lambda rng: _at_work(_layer(rng, "lstm", both=True, lengths=np.array([2, 4]))),
            dtype="float32",
            probe="elsewhere",
        ),
        Case(
            "no such kind",
            lambda rng: Call(init={"input_size": 3, "hidden_size": 5, "kind": "LSTM"}),
            raises="ValueError",
        ),
        Case(
            "in training mode",
            lambda rng: replace(_layer(rng, "rnn", layers=2, both=True), training=True),
            grad=("x",),
        ),
        Case("in float32", lambda rng: _layer(rng, "gru"), dtype="float32"),
        Case(
            "everything",
            lambda rng: _layer(rng, "gru", layers=2, both=True, begin=True, lengths=RAGGED),
            grad=("x", "state"),
            hidden=True,
        ),
    ),
    hint=(
        "`register_parameter` takes a name that you build as a string, and `getattr` finds it "
        "again. For the backward direction: reverse, unroll, reverse back. The next layer reads "
        "both directions, concatenated."
    ),
    forbidden=READY_MADE,
    needs=(*CELLS, "reverse_padded", "last_states", "unroll"),
    returns=("the output", "the state"),
)
