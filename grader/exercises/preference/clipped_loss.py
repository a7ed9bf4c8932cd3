"""`preference.clipped_loss`: so far, and no further."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.preference import answers, log_probs, normal

ALL = ("log_probs", "old", "advantages")

EXERCISE = Exercise(
    title="PPO's clipped loss",
    section="clipped-ratio",
    cases=(
        Case("the model has not moved", lambda rng: _still(rng), 2, grad=ALL),
        Case("good answers", lambda rng: _given(rng, sign=1), 2, grad=ALL),
        Case("bad answers", lambda rng: _given(rng, sign=-1), 2, grad=ALL),
        Case("some of both", lambda rng: _given(rng), 2, grad=ALL),
        Case("a wider band", lambda rng: _given(rng, clip=0.5), grad=ALL),
        Case("far away", lambda rng: _far(rng), grad=ALL, corner=True),
        Case("very far away", lambda rng: _far(rng, size=9.0), grad=ALL, corner=True),
        Case(
            "bad, and e¹²⁹ times as likely as before",
            lambda rng: _grown(rng),
            grad=ALL,
            corner=True,
        ),
        Case(
            "an empty answer",
            lambda rng: _given(rng, [(2, 7), (3, 3), (0, 5)]),
            grad=ALL,
            corner=True,
        ),
        Case("NaN in the padding", lambda rng: _padding(rng), grad=("log_probs",)),
        Case("hardly likely", lambda rng: _rare(rng), grad=ALL),
        Case("one answer", lambda rng: _given(rng, [(2, 6)]), grad=ALL, corner=True),
        Case("in float32", lambda rng: _given(rng), dtype="float32", grad=ALL),
        Case(
            "five",
            lambda rng: _given(rng, [(0, 7), (2, 3), (1, 5), (3, 6), (5, 7)]),
            grad=ALL,
            hidden=True,
        ),
    ),
    hint=(
        "Take the smaller of two products, each with the advantage inside: this makes it right for "
        "negative advantages, too."
    ),
)


def _given(rng, spans=((2, 7), (1, 6), (0, 5), (3, 7)), *, sign=0, **more):
    rows = len(spans)
    old = log_probs(rng, rows, 7) - 1
    moved = 0.6 * rng.choice([-1, 1], (rows, 7)) * (0.1 + rng.random((rows, 7)))
    advantages = 0.5 + rng.random(rows)
    signs = np.resize([1, -1], rows) if sign == 0 else sign
    return {
        "log_probs": old + moved,
        "old": old,
        "advantages": signs * advantages,
        "mask": answers(rows, 7, list(spans)),
        **more,
    }


def _still(rng):
    given = _given(rng)
    return given | {"log_probs": given["old"].copy()}


def _far(rng, size=3.0):
    given = _given(rng)
    given["log_probs"] = given["old"] + normal(rng, 4, 7, size=size)
    return given


def _rare(rng):
    """Probabilities too small for a number, and an ordinary ratio of them."""
    given = _given(rng)
    return given | {name: given[name] - 900 for name in ("log_probs", "old")}


def _padding(rng):
    given = _given(rng)
    for name in ("log_probs", "old"):
        given[name][~given["mask"]] = np.nan
    return given


def _grown(rng):
    """One token of a bad answer, once nearly impossible: its ratio is never stopped."""
    given = _given(rng, sign=-1)
    given["old"] = given["log_probs"].copy()
    given["old"][0, 3] -= 129
    return given
