"""`efficient_attention.parallel_scan`: all states without waiting for each."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise

_ALL = ("decay", "x")


def _inputs(rng, *lead, length=7, low=-1.0, high=1.0, begin=False, zeros=False):
    decay, x = rng.uniform(low, high, (*lead, length, 3)), rng.standard_normal((*lead, length, 3))
    made = {  # few bits, which compress well; no decay is 0
        "decay": (np.floor(256 * decay) + 0.5) / 256,
        "x": np.round(256 * x) / 256,
    }
    if zeros:
        made["decay"][..., 1::3, :] = 0.0
    if begin:
        made["state"] = rng.standard_normal((*lead, 3))
    return made


def _tiny(rng):
    """Decays whose product no float64 can hold."""
    made = _inputs(rng, length=400, low=0.05, high=0.2)
    return {**made, "x": np.abs(made["x"])}


EXERCISE = Exercise(
    title="A parallel scan",
    section="scan",
    cases=(
        Case("eight steps", lambda rng: _inputs(rng, 2, length=8), 2, grad=_ALL),
        Case("seven steps", lambda rng: _inputs(rng, 2, 5, length=7), 2, grad=_ALL),
        Case("one step", lambda rng: _inputs(rng, 2, length=1), grad=("x",), corner=True),
        Case("two steps", lambda rng: _inputs(rng, length=2), grad=("x",)),
        Case("three steps", lambda rng: _inputs(rng, length=3), grad=_ALL),
        Case(
            "a state to begin with",
            lambda rng: _inputs(rng, 2, length=13, begin=True),
            2,
            grad=(*_ALL, "state"),
        ),
        Case(
            "one step from a state",
            lambda rng: _inputs(rng, length=1, begin=True),
            grad=("x", "decay", "state"),
            corner=True,
        ),
        Case(
            "decays of zero",
            lambda rng: _inputs(rng, 2, length=11, zeros=True),
            grad=_ALL,
            corner=True,
        ),
        Case("decays that vanish", lambda rng: _tiny(rng)),
        Case("decays above one", lambda rng: _inputs(rng, length=19, low=0.9, high=1.4), grad=_ALL),
        Case("in float32", lambda rng: _inputs(rng, 2, length=11), dtype="float32"),
        Case(
            "five hundred steps in few lines",
            lambda rng: _inputs(rng, length=500),
            3,
            budget=400,
            most={"largest": 20_000},
            corner=False,
        ),
        Case(
            "more steps", lambda rng: _inputs(rng, 3, length=37, begin=True), grad=_ALL, hidden=True
        ),
    ),
    hint=(
        "Combine steps 0 and 1, 2 and 3, …, and scan these double steps, half as many: that gives "
        "every second state. Each of the others is one ordinary step after a known one."
    ),
    needs=("combine",),
)
