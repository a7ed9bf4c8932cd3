"""`convolution.ResNet`: a residual network."""

from __future__ import annotations

from dataclasses import replace

from grader.author.exercise import Call, Case, Exercise
from grader.exercises.convolution import _block_state, _dense, _filters, _norm

EXERCISE = Exercise(
    title="A residual network",
    section="resnet",
    cases=(
        Case("two stages of two blocks", lambda rng: _resnet(rng, (2, 3), 2), 3, grad=("x",)),
        Case(
            "three stages, one with the same channels",
            lambda rng: _resnet(rng, (2, 3, 3)),
            2,
            grad=("x",),
        ),
        Case("while training", lambda rng: _resnet(rng, training=True), grad=("x",)),
        Case("without shortcuts", lambda rng: _resnet(rng, residual=False)),
        Case(
            "as it is made",
            lambda rng: Call(args={}, init={"in_channels": 3, "classes": 11, "channels": [13, 17]}),
            probe="fresh",
        ),
        Case("with its defaults", lambda rng: Call(args={}, init={}), probe="fresh"),
        Case(
            "on a device",
            lambda rng: Call(
                args={}, init={"in_channels": 1, "classes": 5, "channels": [2, 3], "device": "meta"}
            ),
            probe="fresh",
        ),
        Case("in float32", lambda rng: _resnet(rng, (2,)), dtype="float32"),
        Case("one stage", lambda rng: _resnet(rng, (3,), 2)),
        Case("plain, two blocks", lambda rng: _resnet(rng, (2, 3), 2, residual=False), hidden=True),
        Case("one picture", lambda rng: _one(rng), grad=("x",), corner=True),
    ),
    hint=(
        "Only the first block of a stage changes the channels, and only from the second stage on "
        "does it have stride 2. Averaging the last maps over rows and columns leaves (B, channels)."
    ),
    needs=("output_size", "unfold", "conv2d", "Conv2d", "ResidualBlock"),
)


def _resnet(rng, channels=(2, 3), blocks=1, *, residual=True, training=False):
    state = {**_filters(rng, "conv", 2, channels[0], bias=False), **_norm(rng, "norm", channels[0])}
    before, index = channels[0], 0
    for stage, after in enumerate(channels):
        for block in range(blocks):
            stride = 2 if stage > 0 and block == 0 else 1
            prefix = f"blocks.{index}."
            kind = {"stride": stride, "residual": residual, "prefix": prefix}
            state |= _block_state(rng, before, after, **kind)
            before, index = after, index + 1
    state |= _dense(rng, "fc", before, 7)
    return Call(
        init={
            "in_channels": 2,
            "classes": 7,
            "channels": list(channels),
            "blocks": blocks,
            "residual": residual,
        },
        state=state,
        args={"x": rng.standard_normal((3, 2, 5, 4))},
        training=training,
    )


def _one(rng):
    call = _resnet(rng, (3,))
    return replace(call, args={"x": call.args["x"][:1]})
