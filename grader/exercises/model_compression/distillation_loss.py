"""`model_compression.distillation_loss`: probabilities of a teacher, and labels."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise
from grader.exercises.model_compression import few

EXERCISE = Exercise(
    title="The distillation loss",
    section="distillation",
    cases=(
        Case("half and half", lambda rng: _given(rng, 5, 3, 2.0, 0.5), 2, grad=("student",)),
        Case("teacher alone", lambda rng: _given(rng, 3, 5, 4.0, 1.0), 2, grad=("student",)),
        Case("labels alone", lambda rng: _given(rng, 3, 5, 4.0, 0.0), grad=("student",)),
        Case("temperature 1", lambda rng: _given(rng, 2, 7, 1.0, 0.75)),
        Case("a low temperature", lambda rng: _given(rng, 3, 2, 0.25, 0.75), grad=("student",)),
        Case(
            "no gradient for the teacher",
            lambda rng: _given(rng, 2, 3, 2.0, 0.5),
            grad=("student", "teacher"),
            corner=True,
        ),
        Case("a confident teacher", lambda rng: _confident(rng), grad=("student",)),
        Case("one example", lambda rng: _given(rng, 1, 3, 3.0, 0.25), corner=True),
        Case("in float32", lambda rng: _given(rng, 3, 5, 2.0, 0.5), dtype="float32"),
        Case("more classes", lambda rng: _given(rng, 2, 11, 3.0, 0.25), hidden=True),
    ),
    hint=(
        "Both softmaxes have the temperature, the cross-entropy does not. Mind the argument "
        "order of "
        "`F.kl_div`, and its reduction."
    ),
)


def _given(rng, count, classes, temperature, weight):
    return {
        "student": few(rng, count, classes),
        "teacher": 2 * few(rng, count, classes),
        "labels": rng.integers(0, classes, count),
        "temperature": temperature,
        "weight": weight,
    }


def _confident(rng):
    """Probabilities that underflow, whose logarithms do not."""
    given = _given(rng, 2, 3, 1.0, 0.5)
    return given | {"teacher": 1000 * given["teacher"]}
