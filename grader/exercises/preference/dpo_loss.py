"""`preference.dpo_loss`: two answers and two models."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise
from grader.exercises.preference import log_probs

ALL = ("chosen", "rejected", "reference_chosen", "reference_rejected")

EXERCISE = Exercise(
    title="The DPO loss",
    section="direct-preference",
    cases=(
        Case("a batch", lambda rng: _given(rng), 2, grad=ALL),
        Case("the model is its reference", lambda rng: _same(rng), grad=ALL),
        Case("another price", lambda rng: _given(rng, beta=1.7), 2, grad=ALL),
        Case("very unlikely answers", lambda rng: _far(rng), grad=ALL),
        Case("one pair", lambda rng: _given(rng, rows=1), grad=ALL, corner=True),
        Case("in float32", lambda rng: _given(rng), dtype="float32", grad=("chosen",)),
        Case("eleven pairs", lambda rng: _given(rng, rows=11, beta=0.4), grad=ALL, hidden=True),
    ),
    hint="Four log-probabilities make two rewards, and two rewards one comparison.",
    needs=("bradley_terry_loss", "implicit_reward"),
)


def _given(rng, *, rows=5, beta=0.1, size=6.0):
    return {name: log_probs(rng, rows, size=size) for name in ALL} | {"beta": beta}


def _same(rng):
    given = _given(rng, beta=0.7)
    return given | {
        "reference_chosen": given["chosen"].copy(),
        "reference_rejected": given["rejected"].copy(),
    }


def _far(rng):
    """The first pair is ordered very wrongly."""
    given = _given(rng, beta=0.5, size=300.0)
    given["chosen"][0] -= 9000
    return given
