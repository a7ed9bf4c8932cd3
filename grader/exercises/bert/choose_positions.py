"""`bert.choose_positions`: which tokens a model is asked for."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.bert import ORDINARY, VOCABULARY, rows

EXERCISE = Exercise(
    title="Choosing the positions to predict",
    section="masked-language-model",
    cases=(
        Case("a batch", lambda rng: _given(rng, [(21, 17), (30, 4), (9,)], 43), 2),
        Case("every other one", lambda rng: _given(rng, [(7, 5), (2,)], 17, share=0.5)),
        Case("all of them", lambda rng: _given(rng, [(7, 5), (2,)], 17, share=1.0)),
        Case("none", lambda rng: _given(rng, [(7, 5), (2,)], 17, share=0.0), corner=True),
        Case("just at the share", lambda rng: _edge(rng), corner=True),
        Case("just below the share", lambda rng: _edge(rng, less=1e-12), corner=True),
        Case("no chance is small enough", lambda rng: _high(rng), corner=True),
        Case("another vocabulary", lambda rng: _random(rng, 7)),
        Case("one row", lambda rng: _given(rng, [(30, 31)], 67), corner=True),
        Case("in float32", lambda rng: _given(rng, [(21, 17)], 43), dtype="float32"),
        Case("drawn", lambda rng: _random(rng, ORDINARY, share=0.3), hidden=True),
    ),
    hint="Two conditions hold at once: the chance is small enough, and the token is ordinary.",
)


def _given(rng, lengths, longest, **other):
    tokens = rows(rng, lengths, longest)
    return {"tokens": tokens, "chance": rng.random(tokens.shape), "ordinary": ORDINARY, **other}


def _edge(rng, less=0.0):
    given = _given(rng, [(7, 5), (3, 4)], 15, share=0.25)
    chance = np.round(given["chance"] * 4) / 8  # 0, 1/8, 1/4, 3/8, 1/2
    return given | {"chance": np.maximum(chance - less, 0.0)}


def _high(rng):
    """Each position is chosen by itself: a row may have none, and so may a batch."""
    given = _given(rng, [(7, 5), (9,)], 15, share=0.25)
    return given | {"chance": 0.3 + 0.7 * given["chance"]}


def _random(rng, ordinary, **other):
    """In the first row, both ends are chosen."""
    tokens, chance = rng.integers(0, VOCABULARY, (5, 31)), rng.random((5, 31))
    tokens[0, [0, -1]] %= ordinary
    chance[0, [0, -1]] /= 16
    return {"tokens": tokens, "chance": chance, "ordinary": ordinary, **other}
