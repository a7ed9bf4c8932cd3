"""`gpt.MixtureOfExperts`: a router, and the networks that it chooses among."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from grader.author.exercise import Call, Case, Exercise
from grader.author.parameters import few_bits

FEATURES, HIDDEN, EXPERTS = 3, 2, 3


def _mixture(rng, *lead, training=False, **options):
    """The first three tokens, if there are so many, choose different experts."""
    shapes = {"router.weight": (EXPERTS, FEATURES)}
    for number in range(EXPERTS):
        shapes[f"experts.{number}.up.weight"] = (HIDDEN, FEATURES)
        shapes[f"experts.{number}.up.bias"] = (HIDDEN,)
        shapes[f"experts.{number}.down.weight"] = (FEATURES, HIDDEN)
        shapes[f"experts.{number}.down.bias"] = (FEATURES,)
    state = {name: rng.standard_normal(size) for name, size in shapes.items()}
    state["router.weight"] = np.eye(EXPERTS, FEATURES) + 0.2 * state["router.weight"]
    rows = rng.standard_normal((int(np.prod(lead)), FEATURES))
    rows[:EXPERTS] += 4 * np.eye(EXPERTS, FEATURES)[: len(rows)]
    return Call(
        init={"features": FEATURES, "hidden": HIDDEN, "num_experts": EXPERTS, **options},
        state=few_bits(state),
        args={"x": np.round(16 * rows).reshape(*lead, FEATURES) / 16},
        training=training,
    )


def _balanced(rng, *lead, **options):
    """The balance before any call, and that of the last of two calls."""
    call = _mixture(rng, *lead, **options)
    first = np.round(16 * rng.standard_normal((2, FEATURES))) / 16
    steps = (("balance", None), ("", {"x": first}), ("", dict(call.args)), ("balance", None))
    return replace(call, args={}, steps=steps)


def _fresh(**options):
    init = {"features": 23, "hidden": 29, "num_experts": 3}
    return Call(args={}, init=init | options)


def _values(call):
    """Its numbers alone: other cases look at gradients, and at what a call leaves behind."""
    return replace(call, args={"calls": [call.args]})


EXERCISE = Exercise(
    title="Mixture of experts",
    section="mixture-module",
    cases=(
        Case("one expert each", lambda rng: _mixture(rng, 5), 2, grad=("x",)),
        Case(
            "two experts each", lambda rng: _mixture(rng, 2, 3, k=2, training=True), 2, grad=("x",)
        ),
        Case(
            "a capacity, one expert each",
            lambda rng: _values(_mixture(rng, 2, 4, factor=1.0)),
            2,
            probe="calls",
            corner=False,
        ),
        Case(
            "a capacity, two experts each",
            lambda rng: _values(_mixture(rng, 2, 4, k=2, factor=0.75)),
            2,
            probe="calls",
            corner=False,
        ),
        Case("the balance of the last call", lambda rng: _balanced(rng, 7, k=2, factor=0.5), 2),
        Case(
            "one token, another activation",
            lambda rng: _values(_mixture(rng, k=3, activation="gelu")),
            probe="calls",
        ),
        Case(
            "one token, in float32",
            lambda rng: _values(_mixture(rng, 1, 1, k=3)),
            dtype="float32",
            probe="calls",
        ),
        Case("as it is made", lambda rng: _fresh(), probe="fresh"),
        Case(
            "at work on a device",
            lambda rng: replace(_mixture(rng, 2, k=2, factor=1.0, device="meta"), state=None),
            dtype="float32",
            probe="elsewhere",
        ),
        Case("fewer fit", lambda rng: _mixture(rng, 2, 5, k=2, factor=0.5), hidden=True),
    ),
    needs=("route", "load_balance", "capacity", "within_capacity"),
    hint=(
        "`(chosen == i).nonzero(as_tuple=True)` gives the tokens that chose expert i, and the "
        "rank of this choice: the column of its weight. `index_add` adds what experts "
        "return to the rows of their tokens."
    ),
)
