"""`preference.token_log_probs`: what each token was worth."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise
from grader.exercises.preference import normal

EXERCISE = Exercise(
    title="Log probabilities of tokens",
    section="answer-log-probability",
    cases=(
        Case("a batch", lambda rng: _given(rng), 2, grad=("logits",)),
        Case("two tokens", lambda rng: _given(rng, length=2), grad=("logits",)),
        Case("large logits", lambda rng: _given(rng, size=400.0), grad=("logits",)),
        Case("impossible tokens", lambda rng: _impossible(rng)),
        Case("two kinds of tokens", lambda rng: _given(rng, kinds=2)),
        Case("in float32", lambda rng: _given(rng), dtype="float32", grad=("logits",)),
        Case("one row", lambda rng: _given(rng, rows=1), grad=("logits",), corner=True),
        Case("longer", lambda rng: _given(rng, rows=2, length=11), hidden=True),
    ),
    hint=(
        "Drop the logits of the last position and the first token. `gather` picks one entry per "
        "position."
    ),
)


def _given(rng, *, rows=3, length=7, kinds=5, size=2.0):
    return {
        "logits": normal(rng, rows, length, kinds, size=size),
        "tokens": rng.integers(0, kinds, (rows, length)),
    }


def _impossible(rng):
    """Half of the vocabulary has the probability 0, and some of it was said."""
    given = _given(rng)
    given["logits"][..., :3] = -float("inf")
    return given
