"""`gpt.min_p`: a threshold that moves with the likeliest token."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.gpt import logits, ties

EXERCISE = Exercise(
    title="Min-p",
    section="min-p",
    cases=(
        Case("a tenth", lambda rng: _given(logits(rng, 17, 11), 0.1), 2),
        Case("a batch of one", lambda rng: _given(logits(rng, 1, 11), 0.1), corner=True),
        Case("hardly anything", lambda rng: _given(logits(rng, 7, 11, size=4), 1e-4)),
        Case(
            "next to nothing", lambda rng: _given(logits(rng, 7, 11, size=12), 1e-14), corner=True
        ),
        Case("some ruled out before", lambda rng: _ruled_out(rng)),
        Case("just likely enough, and just not", lambda rng: _near(rng)),
        Case("as likely", lambda rng: _given(ties(rng, 9, 7), 1.0)),
        Case("negative logits", lambda rng: _given(logits(rng, 5, 7) - 40, 0.2)),
        Case("large logits", lambda rng: _given(logits(rng, 5, 7) + 900, 0.2)),
        Case("more axes", lambda rng: _given(logits(rng, 2, 3, 5), 0.3), corner=True),
        Case("no batch", lambda rng: _given(logits(rng, 11), 0.2), corner=True),
        Case("in float32", lambda rng: _given(logits(rng, 3, 7), 0.15), dtype="float32"),
        Case("a ratio of zero", lambda rng: _given(logits(rng, 1, 3), 0.0), raises="ValueError"),
        Case("less than none", lambda rng: _given(logits(rng, 1, 3), -0.5), raises="ValueError"),
        Case("one row", lambda rng: _given(logits(rng, 13), 0.05), hidden=True, corner=True),
    ),
    tolerance=1e-9,
    hint=(
        "A token that is p times as probable has a logit lower by −ln p: no softmax is needed. Or "
        "compare probabilities with the largest of their row."
    ),
)


def _given(scores, p):
    return {"logits": scores, "p": p}


def _near(rng):
    """The likeliest token, and others a millionth above and below what is enough."""
    scores = rng.permuted(
        np.tile([0.0, *np.log(0.7 + 1e-6 * np.array([-2, -1, 1, 2]))], (5, 1)), axis=1
    )
    return _given(scores + 0.25 * rng.integers(-4, 5, (5, 1)), 0.7)


def _ruled_out(rng):
    scores = logits(rng, 5, 7)
    scores[:, [0, 3, 4]] = -float("inf")
    return _given(scores, 0.2)
