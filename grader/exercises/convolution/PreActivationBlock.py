"""`convolution.PreActivationBlock`: nothing after the sum."""

from __future__ import annotations

from grader.author.exercise import Call, Case, Exercise
from grader.exercises.convolution import _block, _filters, _norm

EXERCISE = Exercise(
    title="A pre-activation residual block",
    section="after-resnet",
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
        Case("fewer pixels alone", lambda rng: _drawn(rng, 3, 3, stride=2), grad=("x",)),
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
            "training, other shape",
            lambda rng: _drawn(rng, 2, 5, stride=3, training=True),
            grad=("x",),
            hidden=True,
        ),
    ),
    hint=(
        "Norm and ReLU come before each convolution. What is added is the input as it came in, "
        "before its norm."
    ),
    needs=("output_size", "unfold", "conv2d", "Conv2d"),
)


def _drawn(rng, inside, outside, *, training=False, **kind):
    state = {
        **_norm(rng, "norm1", inside),
        **_filters(rng, "conv1", inside, outside, bias=False),
        **_norm(rng, "norm2", outside),
        **_filters(rng, "conv2", outside, outside, bias=False),
    }
    if inside != outside or "stride" in kind:
        state |= _filters(rng, "shortcut", inside, outside, 1, bias=False)
    return _block(rng, state, inside, outside, training=training, **kind)
