"""`diffusion.Denoiser`: a network that knows the time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from grader.author.exercise import Call, Case, Exercise
from grader.exercises.diffusion import between, few


def _values(call):
    """Its numbers alone: other cases look at gradients, and at what a call leaves behind."""
    return replace(call, args={"calls": [call.args]})


EXERCISE = Exercise(
    title="A denoiser",
    section="denoiser-network",
    tolerance=1e-7,
    cases=(
        Case("points", lambda rng: _model(rng, 3), 3, grad=("x",)),
        Case("with labels", lambda rng: _labeled(rng, [2, 0, 1]), 3),
        Case("some have no label", lambda rng: _labeled(rng, [3, 0, 3]), 2),
        Case(
            "no labels given",
            lambda rng: _values(_model(rng, 2, classes=3)),
            probe="calls",
            corner=False,
        ),
        Case("two blocks", lambda rng: _model(rng, 2, layers=2), 2),
        Case(
            "one time for all",
            lambda rng: _values(_one_time(rng)),
            probe="calls",
        ),
        Case(
            "labels that nobody asked for",
            lambda rng: _values(_ignored(rng)),
            probe="calls",
        ),
        Case("without a table of labels", lambda rng: _table(rng), corner=True),
        Case(
            "in training",
            lambda rng: _values(replace(_labeled(rng, [0, 0]), training=True)),
            probe="calls",
            corner=False,
        ),
        Case(
            "one example",
            lambda rng: _values(_model(rng, 1)),
            probe="calls",
        ),
        Case(
            "in float32",
            lambda rng: _values(_model(rng, 3)),
            dtype="float32",
            probe="calls",
        ),
        Case(
            "on another device",
            lambda rng: _model(rng, 2, classes=3),
            dtype="float32",
            probe="elsewhere",
        ),
        Case("as it is made", lambda rng: _fresh(), probe="fresh"),
        Case(
            "as it is made, with labels", lambda rng: _fresh(classes=1, hidden=211), probe="fresh"
        ),
        Case("on a device", lambda rng: _fresh(classes=3, device="meta"), probe="fresh"),
        Case("labels and two blocks", lambda rng: _both(rng), hidden=True),
    ),
    hint=(
        "Add the vectors of time and label, then SiLU: that is c, the same for all blocks. In "
        "`__init__`, set the output to 0 with `nn.init.zeros_`."
    ),
)

_FEATURES, _HIDDEN, _WIDTH = 3, 5, 4


def _linear(rng, name, outputs, inputs):
    return {f"{name}.weight": few(rng, outputs, inputs) / 2, f"{name}.bias": few(rng, outputs) / 2}


def _model(rng, count, *, layers=1, classes=0):
    state = _linear(rng, "input", _HIDDEN, _FEATURES) | _linear(rng, "time", _HIDDEN, _WIDTH)
    if classes:
        state["label.weight"] = few(rng, classes + 1, _HIDDEN)
    for number in range(layers):
        name = f"blocks.{number}"
        state |= {
            f"{name}.norm.weight": 1 + few(rng, _HIDDEN) / 4,
            f"{name}.norm.bias": few(rng, _HIDDEN) / 4,
        }
        state |= _linear(rng, f"{name}.up", _HIDDEN, _HIDDEN)
        state |= _linear(rng, f"{name}.down", _HIDDEN, _HIDDEN)
    return Call(
        init={
            "features": _FEATURES,
            "hidden": _HIDDEN,
            "layers": layers,
            "time_width": _WIDTH,
            **({"classes": classes} if classes else {}),
        },
        state=state | _linear(rng, "output", _FEATURES, _HIDDEN),
        args={"x": few(rng, count, _FEATURES), "times": between(rng, 0, 1, count)},
    )


def _labeled(rng, labels, **sizes):
    call = _model(rng, len(labels), classes=3, **sizes)
    return replace(call, args={**call.args, "labels": rng.permutation(np.array(labels))})


def _both(rng):
    return _labeled(rng, [0, 3, 2, 1], layers=2)


def _one_time(rng):
    call = _model(rng, 2)
    return replace(call, args={**call.args, "times": np.array(between(rng, 0, 1))})


def _ignored(rng):
    call = _model(rng, 2)
    return replace(call, args={**call.args, "labels": np.array([1, 0])})


def _table(rng):
    call = _model(rng, 1)
    return replace(call, args={}, steps=(("label", None), ("", call.args)))


def _fresh(**init):
    return Call(args={}, init={"features": 7, "hidden": 53, "layers": 2, **init})
