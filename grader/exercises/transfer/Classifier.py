"""`transfer.Classifier`: a head, and a trunk that learns or does not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from grader.author.exercise import Call, Case, Exercise, Made


def _classifier(rng, *, rows=7, inputs=5, features=3, classes=4, drop=0.0, training=False, **init):
    def some(*shape):
        return rng.standard_normal(shape)

    trunk = Made("trunk", {"weight": some(features, inputs), "drop": drop})
    state = {
        "trunk.layer.weight": some(features, inputs),
        "trunk.norm.weight": some(features),
        "trunk.norm.bias": some(features),
        "trunk.norm.running_mean": some(features),
        "trunk.norm.running_var": some(features) ** 2 + 0.1,
        "trunk.norm.num_batches_tracked": rng.integers(3, 9, ()),
        "head.weight": some(classes, features),
        "head.bias": some(classes),
    }
    return Call(
        init={"trunk": trunk, "features": features, "classes": classes, **init},
        state=state,
        args={"x": some(rows, inputs)},
        training=training,
    )


def _fresh(rng, **init):
    trunk = Made("trunk", {"weight": rng.standard_normal((3, 5)), "drop": 0.5})
    return Call(args={}, init={"trunk": trunk, "features": 3, "classes": 7, **init})


def _counting(rng, **init):
    """Features that ask for a gradient, as after other layers; how often that made a graph."""
    call = _classifier(rng, **init)
    trunk = replace(call.init["trunk"], name="trunk that counts graphs")
    state = {**call.state, "trunk.graphs": np.array(0)}
    return replace(call, init={**call.init, "trunk": trunk}, state=state)


def _new(rng, **init):
    """Called in the mode that the constructor leaves it in."""
    return _classifier(rng, drop=1.0, training=None, **init)


def _switched(rng, **init):
    """Training, evaluation, and training again, with everything dropped in training."""
    call = _classifier(rng, drop=1.0, training=True, **init)
    x = {"x": rng.standard_normal((4, 5))}
    steps = [("", x)]
    for name, given in (("train", {"mode": False}), ("train", {}), ("eval", {})):
        steps += [(name, given), ("training", None), ("", x)]
    return replace(call, args={}, steps=steps)


def _modes(rng, **init):
    """The modes of the whole and of its trunk, which nothing has called yet."""
    look = [("training", None), ("trunk.training", None)]
    switches = [("train", {"mode": False}), ("train", {}), ("eval", {}), ("train", {"mode": True})]
    steps = [*look, *(step for switch in switches for step in (switch, *look))]
    return replace(_classifier(rng, training=None, **init), args={}, steps=steps)


def _values(call):
    """Its numbers alone: other cases look at gradients, and at what a call leaves behind."""
    return replace(call, args={"calls": [call.args]})


EXERCISE = Exercise(
    title="A classification head on a pretrained model",
    section="frozen-features",
    cases=(
        Case("frozen, evaluated", lambda rng: _classifier(rng, frozen=True), 2, grad=("x",)),
        Case("frozen, in training", lambda rng: _classifier(rng, frozen=True, training=True), 2),
        Case(
            "frozen, with dropout, in training",
            lambda rng: _classifier(rng, frozen=True, training=True, drop=1.0),
            2,
        ),
        Case("not frozen, evaluated", lambda rng: _classifier(rng, features=6), 2),
        Case("not frozen, in training", lambda rng: _classifier(rng, training=True), 2),
        Case(
            "not frozen, in training, everything dropped",
            lambda rng: _values(_classifier(rng, training=True, drop=1.0)),
            probe="calls",
            corner=False,
        ),
        Case("frozen, switched", lambda rng: _switched(rng, frozen=True)),
        Case("not frozen, switched", lambda rng: _switched(rng)),
        Case("modes, frozen", lambda rng: _modes(rng, frozen=True), corner=True),
        Case("modes, not frozen", lambda rng: _modes(rng), corner=True),
        Case("frozen, as it is made", lambda rng: _fresh(rng, frozen=True), probe="fresh"),
        Case(
            "frozen, before `train`",
            lambda rng: _values(_new(rng, frozen=True)),
            probe="calls",
        ),
        Case(
            "not frozen, before `train`",
            lambda rng: _values(_new(rng)),
            probe="calls",
        ),
        Case("not frozen, as it is made", lambda rng: _fresh(rng), probe="fresh"),
        Case(
            "no graph through a frozen trunk",
            lambda rng: _counting(rng, frozen=True),
            grad=("x",),
            corner=True,
        ),
        Case(
            "a graph through a trunk that learns",
            lambda rng: _counting(rng),
            grad=("x",),
            corner=True,
        ),
        Case(
            "one example",
            lambda rng: _values(_classifier(rng, rows=1, frozen=True, training=True)),
            probe="calls",
        ),
        Case(
            "in float32",
            lambda rng: _values(_classifier(rng, frozen=True)),
            dtype="float32",
            probe="calls",
        ),
        Case(
            "another size",
            lambda rng: _classifier(
                rng, rows=13, inputs=7, features=11, frozen=True, training=True
            ),
            hidden=True,
        ),
    ),
    hint=(
        "Three things make a trunk frozen: its parameters, its mode, and no graph. `train` is "
        "called for the whole module; override it."
    ),
)
