"""`bert.segment_ids`: in which of the two texts a token stands."""

from __future__ import annotations

import numpy as np

from grader.author.afresh import changed
from grader.author.exercise import Case, Exercise
from grader.exercises.bert import SEP, rows


def _longer(rng, tokens, sep):
    """Some columns without [SEP] more than once."""
    free = np.flatnonzero((tokens != sep).reshape(-1, tokens.shape[-1]).all(0))
    columns = [*range(tokens.shape[-1]), *rng.choice(free, rng.integers(2, 9))]
    return {"tokens": tokens[..., sorted(columns)]}


EXERCISE = Exercise(
    title="Segment ids",
    section="bert-rows",
    cases=(
        Case("a pair", lambda rng: _given(rng, [(5, 3)], 11), 2),
        Case("a batch with padding", lambda rng: _given(rng, [(5, 3), (2, 4), (1, 1)], 13), 2),
        Case("one text", lambda rng: _given(rng, [(6,)], 8)),
        Case("one text, padded", lambda rng: _given(rng, [(4,), (3, 2)], 11)),
        Case("an empty second text, more axes", lambda rng: _nested(rng), corner=True),
        Case("a first text without a token", lambda rng: _given(rng, [(0, 4)], 9), corner=True),
        Case("one row", lambda rng: _one(rng), corner=True),
        Case("another number of [SEP]", lambda rng: _other(rng)),
        Case("more axes", lambda rng: _more(rng), hidden=True),
        Case("many rows", lambda rng: _given(rng, [(7, 5), (2, 9), (6,)], 17), hidden=True),
    ),
    hint=(
        "How many [SEP] come before a token, and how many does the row have? `cumsum` counts those "
        "up to and including the token."
    ),
    afresh=changed(_longer),
)


def _given(rng, lengths, longest):
    return {"tokens": rows(rng, lengths, longest), "sep": SEP}


def _one(rng):
    return {"tokens": rows(rng, [(5, 3)], 13)[0], "sep": SEP}


def _other(rng):
    tokens = rows(rng, [(5, 3), (2, 2)], 12)
    return {"tokens": np.where(tokens == SEP, 0, tokens + 1), "sep": 0}


def _nested(rng):
    given = _given(rng, [(3, 0)], 7)
    return given | {"tokens": given["tokens"][:, None]}  # the second axis is not that of the row


def _more(rng):
    tokens = rows(rng, [(5, 3), (2, 2), (4,), (1, 6)], 12)
    return {"tokens": tokens.reshape(2, 2, 12), "sep": SEP}
