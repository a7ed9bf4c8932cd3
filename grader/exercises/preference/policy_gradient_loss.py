"""`preference.policy_gradient_loss`: more of what was better than expected."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.preference import answers, log_probs, normal

BOTH = ("log_probs", "advantages")

EXERCISE = Exercise(
    title="The policy gradient loss (REINFORCE)",
    section="policy-gradient",
    cases=(
        Case("answers of one length", lambda rng: _given(rng, [(2, 5)] * 3), 2, grad=BOTH),
        Case("other lengths", lambda rng: _given(rng, [(2, 7), (1, 3), (4, 5)]), 2, grad=BOTH),
        Case("no advantage", lambda rng: _none(rng), grad=BOTH),
        Case("an empty answer", lambda rng: _given(rng, [(2, 2), (1, 6)]), grad=BOTH, corner=True),
        Case("NaN and −∞ in the padding", lambda rng: _padding(rng), grad=("log_probs",)),
        Case("a token without any chance", lambda rng: _never(rng), corner=True),
        Case("as many answers as tokens", lambda rng: _given(rng, [(2, 6)] * 7), grad=BOTH),
        Case("hardly likely", lambda rng: _rare(rng), grad=BOTH),
        Case("one answer", lambda rng: _given(rng, [(1, 5)]), grad=BOTH),
        Case("in float32", lambda rng: _given(rng, [(2, 7), (1, 3)]), dtype="float32", grad=BOTH),
        Case(
            "five",
            lambda rng: _given(rng, [(1, 7), (2, 3), (0, 4), (3, 6), (5, 7)]),
            grad=BOTH,
            hidden=True,
        ),
    ),
    hint="Sum over an answer's tokens, multiply by its advantage, and average over answers.",
)


def _given(rng, spans):
    rows = len(spans)
    return {
        "log_probs": log_probs(rng, rows, 7),
        "advantages": normal(rng, rows),
        "mask": answers(rows, 7, spans),
    }


def _none(rng):
    given = _given(rng, [(2, 5), (1, 7), (3, 4)])
    return given | {"advantages": np.array([0.0, 1.5, 0.0])}


def _padding(rng):
    given = _given(rng, [(2, 5), (1, 7), (3, 4)])
    given["log_probs"][~given["mask"]] = np.nan
    given["log_probs"][0, 5] = -np.inf
    return given


def _rare(rng):
    """Probabilities too small for a number."""
    given = _given(rng, [(2, 5), (1, 7), (3, 4)])
    return given | {"log_probs": given["log_probs"] - 900}


def _never(rng):
    """A token of one answer had no chance: the loss is infinite."""
    given = _given(rng, [(2, 5), (1, 7), (3, 4)])
    given["log_probs"][1, 3], given["advantages"][1] = -np.inf, 1.5
    return given
