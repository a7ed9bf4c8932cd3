"""`bert.corrupt`: 80 % hidden, 10 % replaced, 10 % as they are."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.bert import MASK, ORDINARY, rows

EXERCISE = Exercise(
    title="Masking: replace by a mask, a random token, or keep",
    section="masked-language-model",
    cases=(
        Case("a batch", lambda rng: _given(rng, [(21, 17), (30, 4), (9,)], 43), 3),
        Case("everything chosen", lambda rng: _given(rng, [(21, 17), (30, 4)], 43, share=1.0), 2),
        Case("special tokens chosen, too", lambda rng: _special(rng), corner=True),
        Case("nothing chosen", lambda rng: _given(rng, [(7, 5), (2,)], 17, share=0.0), corner=True),
        Case("just at the limits", lambda rng: _edge(rng), 2, corner=True),
        Case("draws close to 1", lambda rng: _draws(rng), corner=True),
        Case("another vocabulary", lambda rng: _random(rng)),
        Case("one row", lambda rng: _given(rng, [(30, 31)], 67, share=0.5), corner=True),
        Case("in float32", lambda rng: _given(rng, [(21, 17)], 43, share=0.5), dtype="float32"),
        Case("drawn", lambda rng: _given(rng, [(40, 31), (17,)], 79, share=0.4), hidden=True),
    ),
    hint=(
        "Two `torch.where` decide which token a chosen position gets, a third whether it was "
        "chosen. The labels need the true tokens: do not write into `tokens`."
    ),
    returns=("what is read", "the labels"),
)


def _given(rng, lengths, longest, *, share=0.3):
    tokens = rows(rng, lengths, longest)
    return {
        "tokens": tokens,
        "chosen": (rng.random(tokens.shape) < share) & (tokens < ORDINARY),
        "action": rng.random(tokens.shape),
        "draw": rng.random(tokens.shape),
        "ordinary": ORDINARY,
        "mask": MASK,
    }


def _special(rng):
    """`chosen` alone decides: a special token there is hidden and asked for like any other."""
    given = _given(rng, [(5, 4), (3,)], 13)
    return given | {"chosen": given["tokens"] >= ORDINARY}


def _edge(rng):
    given = _given(rng, [(13, 11), (8, 9)], 27, share=1.0)
    kinds = np.array([0.8, 0.9, 0.0, 0.8 - 1e-9, 0.9 - 1e-9])
    return given | {"action": kinds[rng.integers(0, 5, given["action"].shape)]}


def _draws(rng):
    given = _given(rng, [(13, 11), (8, 9)], 27, share=1.0)
    draw = np.where(given["draw"] < 0.5, 0.0, 1 - 1e-9)
    return given | {"draw": draw, "action": np.full(draw.shape, 0.85)}


def _random(rng):
    given = _given(rng, [(13, 11), (8, 9)], 27, share=1.0)
    tokens = rng.integers(0, 30_103, given["tokens"].shape)  # as many as BERT has
    chosen = given["chosen"] & (tokens < 30_097)
    action = 0.7 + 0.3 * given["action"]
    return (
        given
        | {"tokens": tokens, "chosen": chosen, "action": action}
        | {
            "ordinary": 30_097,
            "mask": 30_098,
        }
    )
