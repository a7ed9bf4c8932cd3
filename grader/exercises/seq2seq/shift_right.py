"""`seq2seq.shift_right`: what a decoder is fed while it learns."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise
from grader.exercises.seq2seq import padded

EXERCISE = Exercise(
    title="The decoder's input: the target shifted right",
    section="teacher-forcing",
    cases=(
        Case("a batch", lambda rng: {"target": rng.integers(3, 11, (3, 7))}),
        Case("padding", lambda rng: {"target": padded(rng, [2, 5, 3], longest=5)}),
        Case("another begin token", lambda rng: _padding_first(rng)),
        Case("one token each", lambda rng: {"target": rng.integers(3, 11, (5, 1))}, corner=True),
        Case(
            "a batch of one, begun by zero",
            lambda rng: {"target": rng.integers(3, 11, (1, 5)) * [0, 1, 1, 1, 1], "bos": 0},
            corner=True,
        ),
        Case("a long one", lambda rng: {"target": rng.integers(3, 97, (1, 31))}, hidden=True),
    ),
    hint="A column of begin tokens, and the target without its last column, side by side.",
)


def _padding_first(rng):
    target = rng.integers(1, 9, (2, 4))
    target[:, 0] = 0, 13
    return {"target": target, "bos": 13}
