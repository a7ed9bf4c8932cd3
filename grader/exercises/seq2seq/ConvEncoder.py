"""`seq2seq.ConvEncoder`: an encoder without a recurrence."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from grader.author.exercise import Call, Case, Exercise
from grader.author.parameters import few_bits
from grader.exercises.recurrent import RAGGED, READY_MADE


def _net(rng, *, lengths=RAGGED, longest=7, kernel=3, layers=2, **settings):
    state = {
        "embedding.weight": rng.standard_normal((11, 5)),
        "places.weight": rng.standard_normal((13, 5)),
    }
    for layer in range(layers):
        state[f"convs.{layer}.weight"] = 0.5 * rng.standard_normal((5, 5, kernel))
        state[f"convs.{layer}.bias"] = rng.standard_normal(5)
    init = {"symbols": 11, "hidden_size": 5, "max_length": 13, "kernel_size": kernel}
    source = rng.integers(0, 11, (len(lengths), longest))
    return Call(
        init={**init, "num_layers": layers},
        state=few_bits(state),
        args={"source": source, "lengths": lengths},
        **settings,
    )


def _default(rng):
    call = _net(rng, kernel=5)
    names = ("symbols", "hidden_size", "max_length")
    return replace(call, init={name: call.init[name] for name in names})


def _calls(rng):
    """Sources of one size and other lengths, then shorter ones."""
    call = _net(rng)
    others = (
        _net(rng, lengths=RAGGED[::-1].copy()),
        _net(rng, lengths=np.array([3, 2]), longest=5),
    )
    return replace(call, args={"calls": [call.args, *(other.args for other in others)]})


def _fresh(**init):
    sizes = {"symbols": 41, "hidden_size": 29, "max_length": 37, "kernel_size": 3}
    return Call(args={}, init={**sizes, **init})


def _at_work(call):
    """The same on a device, where it is made."""
    return replace(call, init={**call.init, "device": "meta"}, state=None)


EXERCISE = Exercise(
    title="A convolutional encoder",
    section="conv-encoder",
    returns=("the memory", "the mask", "the summary"),
    cases=(
        Case("four lengths", lambda rng: _net(rng), 2),
        Case("no padding", lambda rng: _net(rng, lengths=np.array([7, 7]))),
        Case(
            "a source of the greatest length, and much padding",
            lambda rng: _net(rng, lengths=np.array([13, 2, 1]), longest=13),
            2,
        ),
        Case("three layers", lambda rng: _net(rng, layers=3)),
        Case("a kernel of one", lambda rng: _net(rng, kernel=1)),
        Case("with its defaults", lambda rng: _default(rng)),
        Case("several calls", lambda rng: _calls(rng), probe="calls"),
        Case("as it is made", lambda rng: _fresh(), probe="fresh"),
        Case("of three layers, as it is made", lambda rng: _fresh(num_layers=3), probe="fresh"),
        Case(
            "at work on a device",
            lambda rng: _at_work(_net(rng, lengths=np.array([2, 1]), longest=2)),
            probe="elsewhere",
        ),
        Case("in training mode", lambda rng: _net(rng, training=True)),
        Case(
            "one sequence",
            lambda rng: _net(rng, lengths=np.array([3]), longest=5),
            corner=True,
        ),
        Case(
            "two lengths", lambda rng: _net(rng, lengths=np.array([4, 9]), longest=11), hidden=True
        ),
    ),
    hint=(
        "`nn.Conv1d` wants (B, features, S). Multiply by the mask before every convolution: what "
        "a layer writes into the padding, the next one would read."
    ),
    forbidden=READY_MADE,
    needs=("Encoded", "length_mask"),
)
