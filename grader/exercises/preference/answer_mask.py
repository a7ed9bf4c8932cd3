"""`preference.answer_mask`: which tokens carry loss."""

from __future__ import annotations

import numpy as np

from grader.author.afresh import changed
from grader.author.exercise import Case, Exercise


def _longer(rng, tokens, prompts, end):
    """More columns behind; a row that is all prompt stays so."""
    count, width = tokens.shape
    kinds = [token for token in range(8) if token != end]
    more = rng.choice(kinds, (count, rng.integers(2, 9)))
    return {
        "tokens": np.concatenate([tokens, more], 1),
        "prompts": np.where(prompts == width, width + more.shape[1], prompts),
    }


EXERCISE = Exercise(
    title="The loss mask of the answer",
    section="answer-tokens",
    cases=(
        Case("one end each", lambda rng: _given(rng, [[4], [6], [9]]), 2),
        Case(
            "padding of ends", lambda rng: _given(rng, [[5, 6, 7, 8, 9, 10], [10], [7, 8, 9, 10]])
        ),
        Case("an end in the prompt", lambda rng: _given(rng, [[1, 6], [0, 2, 8], [4]]), 2),
        Case("junk after the end", lambda rng: _given(rng, [[4, 7], [5, 6, 10], [8, 10]])),
        Case("no end", lambda rng: _given(rng, [[], [6], [1]])),
        Case("prompts of other lengths", lambda rng: _given(rng, [[4], [9], [6]], [1, 7, 3]), 2),
        Case("an end at once", lambda rng: _given(rng, [[3, 5], [3], [3, 4]])),
        Case(
            "no prompt, all prompt",
            lambda rng: _given(rng, [[4], [10], [0]], [0, 11, 0]),
            corner=True,
        ),
        Case("on another device", lambda rng: _given(rng, [[4]]), probe="elsewhere"),
        Case("one row of one", lambda rng: _one(), corner=True),
        Case("another end", lambda rng: _given(rng, [[5], [0, 8], [7, 9]], end=0)),
        Case("five rows", lambda rng: _given(rng, [[3, 4], [9], [], [1, 2, 7], [5]]), hidden=True),
    ),
    hint=(
        "A token counts if it comes after the prompt and no end comes before it: keep a "
        "running count of ends."
    ),
    afresh=changed(_longer),
)


def _given(rng, ends, prompts=None, *, end=6):
    tokens = rng.integers(int(end == 0), 6, (len(ends), 11))
    for row, places in zip(tokens, ends, strict=True):
        row[places] = end
    return {
        "tokens": tokens,
        "prompts": np.array(prompts or [3] * len(ends)),
        "end": end,
    }


def _one():
    return {"tokens": np.array([[6]]), "prompts": np.array([0]), "end": 6}
