"""`efficient_attention.ssm_recurrence`: a state-space model, step by step."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise
from grader.exercises.efficient_attention import state_space

_ALL = ("x", "rate", "frequency", "step", "weight")


def _inputs(rng, *, batch=2, length=7, features=3, states=5):
    x = rng.standard_normal((batch, length, features))
    return {"x": x, **state_space(rng, features, states)}


EXERCISE = Exercise(
    title="A state-space model as a recurrence",
    section="state-space",
    cases=(
        Case("seven steps", lambda rng: _inputs(rng), 3, grad=_ALL),
        Case("one step", lambda rng: _inputs(rng, length=1), grad=_ALL, corner=True),
        Case("one state", lambda rng: _inputs(rng, states=1), grad=_ALL, corner=True),
        Case(
            "as many features as states",
            lambda rng: _inputs(rng, batch=3, features=3, states=3),
            grad=_ALL,
        ),
        Case("in float32", lambda rng: _inputs(rng), dtype="float32"),
        Case(
            "on another device",
            lambda rng: _inputs(rng, batch=1, length=2, features=1, states=1),
            probe="elsewhere",
        ),
        Case("eleven steps", lambda rng: _inputs(rng, batch=1, length=11), grad=_ALL, hidden=True),
    ),
    hint=(
        "Every feature has separate states, (B, D, H), which are complex. Take the real part at "
        "the very end, after the sum."
    ),
)
