"""`gpt.top_p`: the nucleus."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.gpt import logits, ties

EXERCISE = Exercise(
    title="Top-p",
    section="top-p",
    cases=(
        Case("most of it", lambda rng: _given(logits(rng, 17, 11), 0.8), 2),
        Case(
            "a batch of one",
            lambda rng: _given(logits(rng, 1, 11), 0.6),
            grad=("logits",),
            corner=True,
        ),
        Case("a little", lambda rng: _given(logits(rng, 7, 11), 0.05)),
        Case("nearly all", lambda rng: _given(logits(rng, 17, 11, size=4), 0.9995)),
        Case("all", lambda rng: _given(logits(rng, 3, 7, size=30), 1.0), corner=True),
        Case("the last one crosses", lambda rng: _crossed()),
        Case("many equals", lambda rng: _given(ties(rng, 31, 7), 0.47), 2, corner=True),
        Case("reached exactly", lambda rng: _given(np.full((2, 4), -1.5), 0.5), corner=True),
        Case("all alike", lambda rng: _given(np.full((2, 7), -1.5), 0.5), corner=True),
        Case("large logits", lambda rng: _given(logits(rng, 5, 7) + 900, 0.6)),
        Case("more axes", lambda rng: _given(logits(rng, 2, 3, 5), 0.7), corner=True),
        Case("some ruled out before", lambda rng: _ruled_out(rng)),
        Case("a sum just below p", lambda rng: _just_below(), corner=True),
        Case("in float32", lambda rng: _given(logits(rng, 3, 7), 0.75), dtype="float32"),
        Case("no batch", lambda rng: _given(logits(rng, 13), 0.4), corner=True),
        Case("none at all", lambda rng: _given(logits(rng, 2, 5), 0.0), raises="ValueError"),
        Case("less than none", lambda rng: _given(logits(rng, 2, 5), -0.5), raises="ValueError"),
        Case("more rows", lambda rng: _given(logits(rng, 23, 13), 0.7), hidden=True),
    ),
    tolerance=1e-9,
    hint=(
        "Sort in descending order, softmax, `cumsum`. Drop a token if those *before* it already "
        "have p. Then bring the mask back to the order of the vocabulary: `scatter`."
    ),
)


def _given(scores, p):
    return {"logits": scores, "p": p}


def _crossed():
    """Two tokens have 0.9 together; the third takes the sum across 0.95."""
    return _given(np.log([[0.04, 0.6, 0.06, 0.3], [0.2, 0.05, 0.07, 0.68]]), 0.93)


def _just_below():
    """The first token's half is a little less than p; float32 does not see that."""
    return _given(np.log([[0.125, 0.5, 0.25, 0.125], [0.5, 0.125, 0.125, 0.25]]), 0.5 + 1e-9)


def _ruled_out(rng):
    scores = logits(rng, 5, 7)
    scores[:, [0, 3, 4]] = -float("inf")
    return _given(scores, 0.9)
