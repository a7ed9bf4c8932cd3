"""`preference.sequence_log_probs`: what an answer is worth."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.preference import answers, normal

EXERCISE = Exercise(
    title="The log probability of an answer",
    section="answer-log-probability",
    cases=(
        Case("answers of one length", lambda rng: _given(rng, [(3, 6)] * 3), 2, grad=("logits",)),
        Case(
            "other lengths", lambda rng: _given(rng, [(3, 7), (1, 2), (2, 6)]), 2, grad=("logits",)
        ),
        Case("anything else is NaN", lambda rng: _anything(rng), grad=("logits",)),
        Case("large logits", lambda rng: _given(rng, [(2, 7), (3, 5), (1, 7)], size=400.0)),
        Case("impossible answers", lambda rng: _impossible(rng)),
        Case("answers with gaps", lambda rng: _gaps(rng), grad=("logits",)),
        Case(
            "no answer",
            lambda rng: _given(rng, [(3, 3), (2, 5), (6, 7)]),
            grad=("logits",),
            corner=True,
        ),
        Case("in float32", lambda rng: _given(rng, [(3, 7), (2, 5), (4, 6)]), dtype="float32"),
        Case("one row", lambda rng: _given(rng, [(3, 6)]), grad=("logits",), corner=True),
        Case(
            "five rows",
            lambda rng: _given(rng, [(1, 7), (5, 6), (2, 4), (3, 3), (4, 7)]),
            hidden=True,
        ),
    ),
    hint="`token_log_probs` starts at the second token, and so must the mask.",
    needs=("token_log_probs",),
)


def _given(rng, spans, *, size=2.0):
    rows = len(spans)
    return {
        "logits": normal(rng, rows, 7, 5, size=size),
        "tokens": rng.integers(0, 5, (rows, 7)),
        "mask": answers(rows, 7, spans),
    }


def _anything(rng):
    """NaN wherever the logits are about no token of the answer."""
    given = _given(rng, [(3, 6), (1, 4), (2, 7)])
    about = np.zeros_like(given["mask"])
    about[:, :-1] = given["mask"][:, 1:]
    given["logits"][~about] = np.nan
    return given


def _impossible(rng):
    """In two rows one token has the probability 0, in the first of them one of the answer."""
    given = _given(rng, [(3, 6), (1, 4), (2, 7)])
    for row, place in ((0, 4), (1, 5)):
        given["logits"][row, place - 1, given["tokens"][row, place]] = -np.inf
    return given


def _gaps(rng):
    """Of an answer in several turns, what is said between is not the answer."""
    given = _given(rng, [(1, 7), (2, 7), (1, 5)])
    given["mask"][0, 3:5] = given["mask"][1, 4] = given["mask"][2, 2] = False
    return given
