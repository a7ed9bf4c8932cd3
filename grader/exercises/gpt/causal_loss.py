"""`gpt.causal_loss`: at each position, the next token."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.gpt import logits

EXERCISE = Exercise(
    title="The causal language modeling loss",
    section="shift-once",
    cases=(
        Case("no padding", lambda rng: _given(rng), 2, grad=("logits",)),
        Case("two tokens", lambda rng: _given(rng, length=2), grad=("logits",)),
        Case("large logits", lambda rng: _given(rng, size=400.0), grad=("logits",)),
        Case("padded", lambda rng: _padded(rng, [7, 2, 4]), 2, grad=("logits",)),
        Case("two tokens, padded", lambda rng: _padded(rng, [2, 1, 2], 2), grad=("logits",)),
        Case(
            "a row of one token", lambda rng: _padded(rng, [7, 1, 3]), grad=("logits",), corner=True
        ),
        Case("all real", lambda rng: _padded(rng, [7, 7]), grad=("logits",)),
        Case("anything in the padding", lambda rng: _anything(rng), grad=("logits",)),
        Case("in float32", lambda rng: _padded(rng, [5, 7]), dtype="float32", grad=("logits",)),
        Case("other lengths", lambda rng: _padded(rng, [3, 7, 6, 2]), hidden=True),
    ),
    hint=(
        "The logits at position t belong with token t + 1: cut the last position off the logits, "
        "and the first off the tokens. The mask belongs to the tokens."
    ),
)


def _given(rng, *, rows=3, length=7, size=2.0):
    return {
        "logits": logits(rng, rows, length, 5, size=size),
        "tokens": rng.integers(0, 5, (rows, length)),
    }


def _padded(rng, lengths, length=7):
    mask = np.arange(length) < np.array(lengths)[:, None]
    return _given(rng, rows=len(lengths), length=length) | {"mask": mask}


def _anything(rng):
    given = _padded(rng, [4, 7, 2])
    given["logits"][~given["mask"]] = np.nan
    return given
