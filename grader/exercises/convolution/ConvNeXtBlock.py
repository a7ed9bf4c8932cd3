"""`convolution.ConvNeXtBlock`: look around, then mix."""

from __future__ import annotations

from dataclasses import replace

from grader.author.exercise import Call, Case, Exercise
from grader.exercises.convolution import _dense

EXERCISE = Exercise(
    title="A ConvNeXt block",
    section="after-resnet",
    cases=(
        Case("three channels", lambda rng: _block(rng, 3), 3, grad=("x",)),
        Case("as many channels as columns", lambda rng: _block(rng, 5), grad=("x",)),
        Case("nearly even pixels", lambda rng: _even(rng), grad=("x",)),
        Case("in training mode", lambda rng: replace(_block(rng, 3), training=True), grad=("x",)),
        Case(
            "as it is made",
            lambda rng: Call(args={}, init={"channels": 13}),
            probe="fresh",
        ),
        Case(
            "another first scale",
            lambda rng: Call(args={}, init={"channels": 7, "scale": 0.5}),
            probe="fresh",
        ),
        Case(
            "on a device",
            lambda rng: Call(args={}, init={"channels": 3, "device": "meta"}),
            probe="fresh",
        ),
        Case("in float32", lambda rng: _block(rng, 3), dtype="float32"),
        Case("two channels", lambda rng: _block(rng, 2), grad=("x",), hidden=True),
        Case("one picture", lambda rng: _one(rng), grad=("x",), corner=True),
    ),
    hint=(
        "`movedim(1, -1)` brings the channels to the end, where `nn.LayerNorm` and `nn.Linear` "
        "act, and `movedim(-1, 1)` brings them back. The sum is with the input as it came in."
    ),
    needs=("output_size", "unfold", "conv2d", "Conv2d"),
)


def _block(rng, channels, *, spread=1.0):
    state = {
        "conv.weight": spread * rng.standard_normal((channels, 1, 7, 7)) / 7,
        "conv.bias": spread * rng.standard_normal(channels),
        "norm.weight": 1.0 + 0.3 * rng.standard_normal(channels),
        "norm.bias": 0.5 * rng.standard_normal(channels),
        **_dense(rng, "widen", channels, 4 * channels),
        **_dense(rng, "narrow", 4 * channels, channels),
        "scale": 1.0 + 0.5 * rng.standard_normal(channels),
    }
    return Call(
        init={"channels": channels},
        state=state,
        args={"x": rng.standard_normal((2, channels, 4, 5))},
    )


def _even(rng):
    """Pixels whose channels hardly differ after the convolution, so that eps counts."""
    return _block(rng, 3, spread=2e-3)


def _one(rng):
    call = _block(rng, 3)
    return replace(call, args={"x": call.args["x"][:1]})
