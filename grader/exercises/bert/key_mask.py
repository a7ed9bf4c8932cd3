"""`bert.key_mask`: nobody looks at padding."""

from __future__ import annotations

from grader.author.afresh import changed
from grader.author.exercise import Case, Exercise
from grader.exercises.bert import PAD, rows


def _longer(rng, tokens, pad):
    """Some columns more than once."""
    width = tokens.shape[-1]
    return {"tokens": tokens[:, sorted([*range(width), *rng.choice(width, rng.integers(2, 9))])]}


EXERCISE = Exercise(
    title="The padding mask of the keys",
    section="bert-rows",
    cases=(
        Case("a batch", lambda rng: _given(rng, [(5, 3), (2,), (1, 4)], 13), 2),
        Case("no padding", lambda rng: _given(rng, [(5, 3), (9,)], 11)),
        Case("one row", lambda rng: _given(rng, [(2, 3)], 12), corner=True),
        Case("padding in any place", lambda rng: _anywhere(rng)),
        Case("a row of padding", lambda rng: _given(rng, [(5, 3), (2,)], 11, blank=1), corner=True),
        Case("another number of [PAD]", lambda rng: _zero(rng)),
        Case("mostly padding", lambda rng: _given(rng, [(1,), (0,)], 17), hidden=True),
    ),
    hint="The mask has an axis of queries, of size 1: every query gets the same row of keys.",
    afresh=changed(_longer),
)


def _given(rng, lengths, longest, *, blank=None):
    tokens = rows(rng, lengths, longest)
    if blank is not None:
        tokens[blank] = PAD
    return {"tokens": tokens, "pad": PAD}


def _anywhere(rng):
    """Rows that are padded at their beginning, as for a model that writes on."""
    given = _given(rng, [(5, 3), (2,)], 13)
    return given | {"tokens": given["tokens"][:, ::-1].copy()}


def _zero(rng):
    tokens = rows(rng, [(5, 2), (3,)], 11)
    return {"tokens": (tokens - PAD) % 23, "pad": 0}
