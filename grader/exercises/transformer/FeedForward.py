"""`transformer.FeedForward`: the same network at every position."""

from __future__ import annotations

from dataclasses import replace

from grader.author.exercise import Call, Case, Exercise
from grader.exercises.transformer import dense


def _network(rng, *lead, features=5, hidden=13, bias=True, **options):
    init = {"features": features, "hidden": hidden, **options}
    return Call(
        init=init if bias else {**init, "bias": False},
        state={
            **dense(rng, "up", hidden, features, bias=bias),
            **dense(rng, "down", features, hidden, bias=bias),
        },
        args={"x": 2 * rng.standard_normal((*lead, features))},
    )


def _unknown(activation):
    return Call(init={"features": 2, "hidden": 3, "activation": activation})


EXERCISE = Exercise(
    title="The feed-forward network",
    section="block",
    cases=(
        Case("a batch", lambda rng: _network(rng, 2, 7), 2, grad=("x",)),
        Case("a batch of one", lambda rng: _network(rng, 1, 7), grad=("x",), corner=True),
        Case("with GELU", lambda rng: _network(rng, 2, 7, activation="gelu"), grad=("x",)),
        Case("with ReLU squared", lambda rng: _network(rng, 2, 7, activation="relu2"), grad=("x",)),
        Case("without biases", lambda rng: _network(rng, 2, 3, bias=False), grad=("x",)),
        Case("one position", lambda rng: _network(rng), grad=("x",), corner=True),
        Case("narrower inside", lambda rng: _network(rng, 2, 3, hidden=3), grad=("x",)),
        Case("an activation that is not there", lambda rng: _unknown("silu"), raises="ValueError"),
        Case("a gated one", lambda rng: _unknown("swiglu"), raises="ValueError"),
        Case("large letters", lambda rng: _unknown("ReLU"), raises="ValueError"),
        Case("in training mode", lambda rng: replace(_network(rng, 2), training=True), grad=("x",)),
        Case("in float32", lambda rng: _network(rng, 2, 7), dtype="float32"),
        Case(
            "as it is made",
            lambda rng: Call(args={}, init={"features": 67, "hidden": 131}),
            probe="fresh",
        ),
        Case(
            "on a device",
            lambda rng: Call(
                args={}, init={"features": 5, "hidden": 7, "bias": False, "device": "meta"}
            ),
            probe="fresh",
        ),
        Case(
            "three batch axes",
            lambda rng: _network(rng, 2, 3, 7),
            grad=("x",),
            hidden=True,
            corner=True,
        ),
    ),
    hint="`nn.Linear` acts on the last axis, whatever axes come before it: no loop over positions.",
)
