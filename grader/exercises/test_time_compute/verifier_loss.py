"""`test_time_compute.verifier_loss`: one verdict, taught at each token."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.test_time_compute import few

EXERCISE = Exercise(
    title="The loss of a verifier",
    section="outcome-verifier",
    tolerance=1e-8,
    cases=(
        Case("one label per answer", lambda rng: _given(rng, 5, 3), 2, grad=("scores",)),
        Case("labels of tokens", lambda rng: _given(rng, 3, 5, each=True), 2, grad=("scores",)),
        Case("as many answers as tokens", lambda rng: _given(rng, 3, 3)),
        Case("large scores", lambda rng: _large(), corner=True),
        Case(
            "NaN and ∞ at prompts and padding",
            lambda rng: _given(rng, 3, 5, fill=np.array([np.nan, np.inf, -np.inf, np.nan, np.inf])),
            grad=("scores",),
        ),
        Case("a single token counts", lambda rng: _single(rng), corner=True),
        Case("in float32", lambda rng: _given(rng, 3, 5), dtype="float32"),
        Case("seven answers", lambda rng: _given(rng, 7, 5), hidden=True),
    ),
    hint=(
        "`labels[:, None].expand_as(scores)` repeats the label of each answer; then index scores "
        "and labels with the mask, and use `F.binary_cross_entropy_with_logits`."
    ),
)


def _given(rng, rows, length, *, each=False, fill=None):
    scores = few(rng, rows, length)
    mask = rng.random((rows, length)) < 0.5
    mask[0], mask[:, -1] = True, True  # the answers differ in length
    mask[-1, 0] = False
    if fill is not None:
        mask[-1, 1] = False
        scores = np.where(mask, scores, fill)
    labels = rng.random((rows, length) if each else rows) < 0.5
    labels[0], labels[-1] = False, True
    if each:
        labels[0, 1], labels[-1, 1] = True, False
    return {"scores": scores, "labels": labels, "mask": mask}


def _large():
    """As many answers as tokens, and a label for each token."""
    return {
        "scores": np.array([[900.0, -800.0], [700.0, -900.0]]),
        "labels": np.array([[False, True], [True, False]]),
        "mask": np.ones((2, 2), dtype=bool),
    }


def _single(rng):
    """One answer, with labels of tokens."""
    return _given(rng, 1, 3, each=True) | {"mask": np.array([[False, True, False]])}
