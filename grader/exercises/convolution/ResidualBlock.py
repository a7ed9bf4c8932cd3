"""`convolution.ResidualBlock`: a block that adds to its input."""

from __future__ import annotations

from dataclasses import replace

from grader.author.exercise import Call, Case, Exercise
from grader.exercises.convolution import _block, _block_state

EXERCISE = Exercise(
    title="A residual block",
    section="residual",
    cases=(
        Case("same shape", lambda rng: _drawn(rng, 3, 3), 2, grad=("x",)),
        Case(
            "fewer pixels, more channels", lambda rng: _drawn(rng, 3, 5, stride=2), 2, grad=("x",)
        ),
        Case(
            "more channels alone, while training",
            lambda rng: _drawn(rng, 3, 5, training=True),
            grad=("x",),
        ),
        Case("fewer pixels alone", lambda rng: _drawn(rng, 3, 3, stride=2, rows=4), grad=("x",)),
        Case("a plain block", lambda rng: _drawn(rng, 3, 5, stride=2, residual=False)),
        Case(
            "as it is made",
            lambda rng: Call(args={}, init={"in_channels": 13, "out_channels": 17, "stride": 2}),
            probe="fresh",
        ),
        Case(
            "on a device",
            lambda rng: Call(args={}, init={"in_channels": 2, "out_channels": 3, "device": "meta"}),
            probe="fresh",
        ),
        Case("one channel, in float32", lambda rng: _drawn(rng, 1, 1), dtype="float32"),
        Case(
            "a plain block, same shape",
            lambda rng: _drawn(rng, 2, 2, residual=False),
        ),
        Case(
            "training, other shape",
            lambda rng: _drawn(rng, 2, 5, stride=3, training=True),
            grad=("x",),
            hidden=True,
        ),
    ),
    hint=(
        "Compute f(x) up to its second batch norm, add the input (or its shortcut), and only then "
        "the last ReLU."
    ),
    needs=("output_size", "unfold", "conv2d", "Conv2d"),
)


def _drawn(rng, inside, outside, *, training=False, rows=5, **kind):
    state = _block_state(rng, inside, outside, **kind)
    call = _block(rng, state, inside, outside, training=training, **kind)
    return replace(call, args={"x": call.args["x"][:, :, :rows]})
