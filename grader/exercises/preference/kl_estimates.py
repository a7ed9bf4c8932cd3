"""`preference.kl_estimates`: how far away, from samples."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise
from grader.exercises.preference import log_probs

BOTH = ("log_probs", "reference")

EXERCISE = Exercise(
    title="Estimating the KL divergence from samples",
    section="distance-from-reference",
    cases=(
        Case("a batch", lambda rng: _given(rng, 3, 7), 2, grad=BOTH),
        Case("the same model", lambda rng: _same(rng), grad=BOTH),
        Case("far away", lambda rng: _given(rng, 5, size=20.0), 2, corner=True),
        Case("very far away", lambda rng: _given(rng, 7, size=90.0), grad=BOTH),
        Case("hardly likely", lambda rng: _rare(rng), grad=BOTH),
        Case("one axis", lambda rng: _given(rng, 5), grad=BOTH),
        Case("one token, far from the reference", lambda rng: _lost(rng), grad=BOTH, corner=True),
        Case("in float32", lambda rng: _given(rng, 3, 7), dtype="float32"),
        Case("larger", lambda rng: _given(rng, 5, 11), grad=BOTH, hidden=True, corner=True),
    ),
    hint="All three are functions of ln s = ln π₀ − ln π.",
    returns=("k1", "k2", "k3"),
)


def _given(rng, *shape, size=1.0):
    return {
        "log_probs": log_probs(rng, *shape, size=size),
        "reference": log_probs(rng, *shape, size=size),
    }


def _rare(rng):
    """Probabilities too small for a number, and an ordinary ratio of them."""
    return {name: value - 900 for name, value in _given(rng, 7).items()}


def _lost(rng):
    """k3 is −ln s − 1 up to rounding: no exponential hides a logarithm that was cut off."""
    given = _given(rng, 1, 1)
    return given | {"reference": given["reference"] - 47}


def _same(rng):
    given = _given(rng, 5)
    return given | {"reference": given["log_probs"].copy()}
