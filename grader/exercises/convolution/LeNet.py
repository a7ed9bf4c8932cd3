"""`convolution.LeNet`: leNet."""

from __future__ import annotations

from dataclasses import replace

from grader.author.exercise import Call, Case, Exercise
from grader.exercises.convolution import _dense, _filters

EXERCISE = Exercise(
    title="LeNet",
    section="lenet",
    cases=(
        Case("digits of 8×8", lambda rng: _lenet(rng), 3, grad=("x",)),
        Case(
            "other sizes",
            lambda rng: _lenet(rng, count=2, channels=2, classes=3, size=14, hidden=(5, 7)),
            grad=("x",),
        ),
        Case(
            "as it is made",
            lambda rng: Call(args={}, init={"in_channels": 3, "classes": 11}),
            probe="fresh",
        ),
        Case("with its defaults", lambda rng: Call(args={}, init={}), probe="fresh"),
        Case(
            "on a device",
            lambda rng: Call(args={}, init={"in_channels": 1, "classes": 5, "device": "meta"}),
            probe="fresh",
        ),
        Case("in training mode", lambda rng: replace(_lenet(rng), training=True), grad=("x",)),
        Case("in float32", lambda rng: _lenet(rng), dtype="float32"),
        Case("a single picture", lambda rng: _lenet(rng, count=1, size=5), corner=True),
        Case("three channels", lambda rng: _lenet(rng, channels=3, classes=7), hidden=True),
    ),
    hint=(
        "Pooling halves the picture and rounds down, twice. Then `flatten(1)` lays the channels "
        "out one after another. A ReLU follows every layer but the last: scores can be any number."
    ),
    needs=("output_size", "unfold", "conv2d", "max_pool2d", "avg_pool2d", "Conv2d"),
)


def _lenet(rng, *, count=3, channels=1, classes=11, size=8, hidden=(13, 7)):
    state = {
        **_filters(rng, "conv1", channels, 2),
        **_filters(rng, "conv2", 2, 3),
        **_dense(rng, "fc1", 3 * (size // 4) ** 2, hidden[0]),
        **_dense(rng, "fc2", *hidden),
        **_dense(rng, "fc3", hidden[1], classes),
    }
    return Call(
        init={
            "in_channels": channels,
            "classes": classes,
            "size": size,
            "channels": [2, 3],
            "hidden": list(hidden),
        },
        state=state,
        args={"x": rng.standard_normal((count, channels, size, size))},
    )
