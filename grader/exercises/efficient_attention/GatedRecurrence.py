"""`efficient_attention.GatedRecurrence`: a recurrent layer that need not wait."""

from __future__ import annotations

from dataclasses import replace

from grader.author.exercise import Call, Case, Exercise, Returned


def _state(rng):
    return {
        "gate.weight": rng.standard_normal((5, 3)),
        "gate.bias": rng.standard_normal(5),
        "candidate.weight": rng.standard_normal((5, 3)),
        "candidate.bias": rng.standard_normal(5),
        "read.weight": rng.standard_normal((5, 3)),
        "read.bias": rng.standard_normal(5),
        "out.weight": rng.standard_normal((3, 5)),
        "out.bias": rng.standard_normal(3),
    }


_INIT = {"embed_dim": 3, "hidden": 5}


def _layer(rng, *, length=7, begin=False):
    args = {"x": rng.standard_normal((2, length, 3))}
    if begin:
        args["state"] = rng.standard_normal((2, 5))
    return Call(init=_INIT, state=_state(rng), args=args)


def _in_parts(rng, *lengths):
    steps = []
    for index, length in enumerate(lengths):
        args = {"x": rng.standard_normal((2, length, 3))}
        if index:
            args["state"] = Returned(index - 1, 1)
        steps.append(("", args))
    return Call(init=_INIT, state=_state(rng), steps=tuple(steps))


def _shut(rng):
    """Gates of which exp(−z) is infinite: σ is 0, and its slope is 0 and no NaN."""
    call = _layer(rng, length=3)
    call.state["gate.bias"][::2] = -800.0
    return call


EXERCISE = Exercise(
    title="A gated linear recurrence",
    section="scan",
    cases=(
        Case("seven steps", lambda rng: _layer(rng), 2, grad=("x",)),
        Case("one step", lambda rng: _layer(rng, length=1), grad=("x",), corner=True),
        Case("a state to begin with", lambda rng: _layer(rng, begin=True), 2, grad=("x", "state")),
        Case("in two parts", lambda rng: _in_parts(rng, 5, 2), 2, probe="steps"),
        Case("gates far below zero", lambda rng: _shut(rng), grad=("x",), corner=True),
        Case("in float32", lambda rng: _layer(rng), dtype="float32"),
        Case("in training mode", lambda rng: replace(_layer(rng), training=True), grad=("x",)),
        Case(
            "as it is made",
            lambda rng: Call(init={"embed_dim": 11, "hidden": 23}),
            probe="fresh",
        ),
        Case(
            "at work on a device",
            lambda rng: Call(init={**_INIT, "device": "meta"}, args=_layer(rng, length=2).args),
            dtype="float32",
            probe="elsewhere",
        ),
        Case(
            "five hundred steps in few lines",
            lambda rng: replace(_layer(rng, length=500), state=_state(rng)),
            2,
            budget=450,
        ),
        Case(
            "more steps",
            lambda rng: _layer(rng, length=13, begin=True),
            grad=("x", "state"),
            hidden=True,
        ),
    ),
    hint=(
        "The gate does not depend on the state, so all gates and all candidates are known before "
        "the first step. Then one call of `parallel_scan` is enough."
    ),
    needs=("parallel_scan", "combine"),
    returns=("the outputs", "the state after the last step"),
)
