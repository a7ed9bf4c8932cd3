"""`transfer.prompt_loss`: nothing is asked of the prompt."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise

EXERCISE = Exercise(
    title="The loss with a learned prompt",
    section="tuned-prompts",
    cases=(
        Case("two rows", lambda rng: _given(rng, 2, 5, prompt=3), 2, grad=("logits",)),
        Case(
            "a prompt of one",
            lambda rng: _given(rng, 3, 7, prompt=1),
            grad=("logits",),
            corner=True,
        ),
        Case("one token", lambda rng: _given(rng, 2, 1, prompt=5), corner=True),
        Case("one row", lambda rng: _given(rng, 1, 5, prompt=2), corner=True),
        Case(
            "large logits", lambda rng: _given(rng, 2, 5, prompt=3, size=3000.0), grad=("logits",)
        ),
        Case(
            "no chance at all where nothing is asked", lambda rng: _unasked(rng), grad=("logits",)
        ),
        Case("in float32", lambda rng: _given(rng, 2, 5, prompt=3), dtype="float32"),
        Case("a long prompt", lambda rng: _given(rng, 5, 3, prompt=17), hidden=True),
    ),
    hint="Which position knows just what came before the first token of the text?",
)


def _given(rng, rows, length, *, prompt, words=11, size=2.0):
    return {
        "logits": size * rng.standard_normal((rows, prompt + length, words)),
        "tokens": rng.integers(0, words, (rows, length)),
    }


def _unasked(rng):
    """Tokens without any chance in the prompt and after the last token of the text."""
    given = _given(rng, 2, 5, prompt=3)
    given["logits"][:, [0, 1, -1], 4] = -np.inf
    return given
