"""`gpt.repetition_penalty`: what has been said becomes less likely."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.gpt import logits

EXERCISE = Exercise(
    title="Repetition penalty",
    section="repetition-penalty",
    cases=(
        Case("some were said", lambda rng: _given(rng, 1.5), 2),
        Case("each was said once", lambda rng: _once(rng), grad=("logits",)),
        Case("one over and over", lambda rng: _over_and_over(rng)),
        Case("encouraged", lambda rng: _given(rng, 0.5)),
        Case("all negative", lambda rng: _given(rng, 1.3, shift=-20.0)),
        Case("all positive", lambda rng: _given(rng, 1.3, shift=20.0)),
        Case("one row", lambda rng: _given(rng, 1.5, rows=1), corner=True),
        Case("some ruled out before", lambda rng: _ruled_out(rng)),
        Case("no penalty", lambda rng: _given(rng, 1.0)),
        Case("nothing was said", lambda rng: _given(rng, 2.0, said=0)),
        Case("one token", lambda rng: _given(rng, 1.2, said=1), corner=True),
        Case("in float32", lambda rng: _given(rng, 1.2), dtype="float32"),
        Case("much was said", lambda rng: _given(rng, 1.7, said=29), hidden=True),
    ),
    tolerance=1e-9,
    hint=(
        "The tokens that have occurred are a mask over the vocabulary: `scatter` makes it. And −3 "
        "/ 2 is more than −3: a negative logit needs the other operation."
    ),
)


def _given(rng, penalty, *, rows=3, said=5, shift=0.0):
    return {
        "logits": logits(rng, rows, 11) + shift,
        "tokens": rng.integers(0, 11, (rows, said)),
        "penalty": penalty,
    }


def _once(rng):
    """No token twice: what puts a logit back once for each time has its gradient as often."""
    given = _given(rng, 1.5)
    return given | {"tokens": rng.random((3, 11)).argsort(axis=1)[:, :5]}


def _over_and_over(rng):
    tokens = np.array([[2, 2, 2, 7], [5, 5, 5, 5], [0, 10, 0, 10]])
    return {"logits": logits(rng, 3, 11), "tokens": tokens, "penalty": 1.2}


def _ruled_out(rng):
    given = _given(rng, 1.4)
    given["logits"][:, [2, 3, 7]] = -np.inf
    given["tokens"][:, 1] = 3
    return given
