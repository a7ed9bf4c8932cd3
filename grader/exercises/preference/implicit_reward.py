"""`preference.implicit_reward`: the reward in a model."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise
from grader.exercises.preference import log_probs

BOTH = ("log_probs", "reference")

EXERCISE = Exercise(
    title="DPO's implicit reward",
    section="direct-preference",
    cases=(
        Case("a batch", lambda rng: _given(rng, 5), 2, grad=BOTH),
        Case("another price", lambda rng: _given(rng, 7, beta=2.5), grad=BOTH),
        Case("unlikely answers", lambda rng: _given(rng, 3, size=900.0), grad=BOTH),
        Case("two axes", lambda rng: _given(rng, 3, 2), grad=BOTH),
        Case("one answer", lambda rng: _given(rng, 1), grad=BOTH, corner=True),
        Case("in float32", lambda rng: _given(rng, 5), dtype="float32"),
        Case("eleven", lambda rng: _given(rng, 11, beta=0.3), grad=BOTH, hidden=True),
    ),
    tolerance=1e-9,
    hint="The logarithm of a ratio is a difference of logarithms. `detach` stops a gradient.",
)


def _given(rng, *shape, beta=0.1, size=4.0):
    return {
        "log_probs": log_probs(rng, *shape, size=size),
        "reference": log_probs(rng, *shape, size=size),
        "beta": beta,
    }
