"""`efficient_attention.ssm_kernel`: what a state-space model answers to a single one."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise
from grader.exercises.efficient_attention import state_space

_ALL = ("rate", "frequency", "step", "weight")


def _inputs(rng, *, length=7, features=3, states=5):
    return {**state_space(rng, features, states), "length": length}


EXERCISE = Exercise(
    title="The convolution kernel of a state-space model",
    section="as-a-convolution",
    cases=(
        Case("seven times", lambda rng: _inputs(rng), 3, grad=_ALL),
        Case("one time", lambda rng: _inputs(rng, length=1), grad=_ALL, corner=True),
        Case("two times", lambda rng: _inputs(rng, length=2), grad=_ALL),
        Case("one state", lambda rng: _inputs(rng, states=1), grad=_ALL, corner=True),
        Case("as many of everything", lambda rng: _inputs(rng, length=3, states=3), grad=_ALL),
        Case("in float32", lambda rng: _inputs(rng), dtype="float32"),
        Case(
            "on another device",
            lambda rng: _inputs(rng, length=2, features=1, states=1),
            probe="elsewhere",
        ),
        Case(
            "thirteen times", lambda rng: _inputs(rng, length=13, states=2), grad=_ALL, hidden=True
        ),
    ),
    hint=(
        "Run the recurrence on 1, 0, 0, … by hand for three steps: the state is g, then f g, then "
        "f² g."
    ),
)
