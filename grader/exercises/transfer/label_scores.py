"""`transfer.label_scores`: how probable an answer is, as a whole."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.transfer import logs

EXERCISE = Exercise(
    title="Scoring a label of several tokens",
    section="asked-not-trained",
    cases=(
        Case("sums", lambda rng: _given(rng, [3, 1, 4]), 2, grad=("log_probs",)),
        Case("means", lambda rng: _given(rng, [3, 1, 4], mean=True), 2, grad=("log_probs",)),
        Case("many questions", lambda rng: _given(rng, [2, 3], 5, 5)),
        Case("many questions, means", lambda rng: _given(rng, [2, 3], 5, mean=True)),
        Case("one token each", lambda rng: _given(rng, [1, 1, 1])),
        Case("one answer", lambda rng: _given(rng, [2]), corner=True),
        Case("all as long", lambda rng: _given(rng, [5, 5], mean=True)),
        Case("padding that is impossible", lambda rng: _ruled_out(rng)),
        Case("an impossible answer", lambda rng: _ruled_out(rng, inside=True)),
        Case("a table that is wider", lambda rng: _given(rng, [2, 4], mean=True, wider=3)),
        Case("far below zero", lambda rng: _far(rng)),
        Case("a long answer", lambda rng: _long(rng)),
        Case("in float32", lambda rng: _given(rng, [3, 1, 4]), dtype="float32"),
        Case("on another device", lambda rng: _given(rng, [1, 2], words=2), probe="elsewhere"),
        Case("seven answers", lambda rng: _given(rng, [4, 1, 7, 2, 3, 7, 5], 2), hidden=True),
    ),
    hint=(
        "`gather` along V; the index has no axes of questions, so `expand` it. Then drop what is "
        "padding before you sum."
    ),
)


def _given(rng, lengths, *batch, words=11, wider=0, **mean):
    width = max(lengths) + wider
    return {
        "log_probs": logs(rng, *batch, len(lengths), width, words),
        "labels": rng.integers(0, words, (len(lengths), width)),
        "lengths": np.array(lengths, dtype=np.int64),
        **mean,
    }


def _long(rng):
    """An answer whose probability no float64 can hold."""
    given = _given(rng, [3, 101], words=7)
    scores = 9 * rng.standard_normal(given["log_probs"].shape)
    return given | {"log_probs": scores - np.log(np.exp(scores).sum(axis=-1, keepdims=True))}


def _ruled_out(rng, *, inside=False):
    given = _given(rng, [2, 3, 1])
    for row, length in enumerate([2, 3, 1]):
        given["log_probs"][row, length:] = -np.inf
    if inside:
        given["log_probs"][1, 1, given["labels"][1, 1]] = -np.inf
    return given


def _far(rng):
    given = _given(rng, [2, 3, 1])
    return given | {"log_probs": 200 * given["log_probs"]}
