"""`convolution.Conv2d`: convolution as a layer."""

from __future__ import annotations

from dataclasses import replace

from grader.author.exercise import Call, Case, Exercise
from grader.exercises.convolution import CONVOLUTION, PATCHES, settings

EXERCISE = Exercise(
    title="Convolution as a layer",
    section="as-a-layer",
    cases=(
        Case("three channels, five filters", lambda rng: _module(rng), 2, grad=("x",)),
        Case("no bias", lambda rng: _module(rng, bias=False), grad=("x",)),
        Case("every setting", lambda rng: _module(rng, **settings(2, 1, 2)), grad=("x",)),
        Case("a group per channel", lambda rng: _module(rng, 3, 6, groups=3), grad=("x",)),
        Case("groups", lambda rng: _module(rng, 6, 9, groups=3), grad=("x",)),
        Case(
            "as it is made",
            lambda rng: Call(
                args={}, init={"in_channels": 13, "out_channels": 31, "kernel_size": 5}
            ),
            probe="fresh",
        ),
        Case(
            "as it is made, in groups",
            lambda rng: Call(
                args={},
                init={"in_channels": 48, "out_channels": 40, "kernel_size": 3, "groups": 8},
            ),
            probe="fresh",
        ),
        Case(
            "on a device",
            lambda rng: Call(
                args={},
                init={"in_channels": 2, "out_channels": 3, "kernel_size": 3, "device": "meta"},
            ),
            probe="fresh",
        ),
        Case("in training mode", lambda rng: replace(_module(rng), training=True), grad=("x",)),
        Case("in float32", lambda rng: _module(rng), dtype="float32"),
        Case("a kernel of one", lambda rng: _module(rng, size=1), hidden=True),
        Case("everything", lambda rng: _module(rng, 4, 2, groups=2, padding=2), hidden=True),
        Case("one filter", lambda rng: _module(rng, 3, 1), grad=("x",), corner=True),
    ),
    hint=(
        "Keep the settings in `__init__`, register weight and bias as parameters, and let your "
        "`conv2d` do the work. `self.bias = None` says that there is none."
    ),
    forbidden=(*CONVOLUTION, *PATCHES),
    needs=("output_size", "unfold", "conv2d"),
)


def _module(rng, channels=3, filters=5, *, size=3, groups=1, bias=True, **steps):
    state = {"weight": rng.standard_normal((filters, channels // groups, size, size))}
    if bias:
        state["bias"] = 1.0 + rng.standard_normal(filters)
    return Call(
        init={
            "in_channels": channels,
            "out_channels": filters,
            "kernel_size": size,
            "groups": groups,
            "bias": bias,
            **steps,
        },
        state=state,
        args={"x": rng.standard_normal((2, channels, 7, 5))},
    )
