"""`gpt.tempered`: a distribution, sharper or flatter."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise
from grader.exercises.gpt import logits, ties

EXERCISE = Exercise(
    title="Temperature",
    section="temperature",
    cases=(
        Case("hot", lambda rng: _given(logits(rng, 5, 11), 1.7), 2, grad=("logits",)),
        Case(
            "a batch of one",
            lambda rng: _given(logits(rng, 1, 7), 0.8),
            grad=("logits",),
            corner=True,
        ),
        Case("cold", lambda rng: _given(logits(rng, 3, 7), 0.3), grad=("logits",)),
        Case(
            "nearly zero",
            lambda rng: _given(logits(rng, 3, 7), 1e-20),
            grad=("logits",),
            corner=True,
        ),
        Case("a temperature of zero", lambda rng: _given(logits(rng, 5, 7) - 3, 0)),
        Case(
            "equals, and a temperature of zero",
            lambda rng: _given(ties(rng, 31, 7), 0),
            corner=True,
        ),
        Case("more axes", lambda rng: _given(logits(rng, 2, 3, 5), 0.0), corner=True),
        Case("no batch", lambda rng: _given(logits(rng, 11), 0), corner=True),
        Case("a negative one", lambda rng: _given(logits(rng, 2, 3), -0.5), raises="ValueError"),
        Case("in float32", lambda rng: _given(logits(rng, 3, 7), 2.5), dtype="float32"),
        Case("float32 and zero", lambda rng: _given(logits(rng, 3, 7), 0), dtype="float32"),
        Case("one row", lambda rng: _given(logits(rng, 13), 0.9), hidden=True, corner=True),
    ),
    tolerance=1e-9,
    hint="You cannot divide by 0: for that case, return the limit. `scatter` sets one entry.",
)


def _given(scores, temperature):
    return {"logits": scores, "temperature": temperature}
