"""`recurrent.reverse_padded`: backwards, and the padding stays."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.recurrent import RAGGED

EXERCISE = Exercise(
    title="Reversing padded sequences",
    section="padding",
    cases=(
        Case("four lengths", lambda rng: _inputs(rng, RAGGED), 2, grad=("x",)),
        Case("no lengths", lambda rng: {"x": rng.standard_normal((2, 5, 3))}, grad=("x",)),
        Case("whole numbers, all of one length", lambda rng: _whole(rng), corner=True),
        Case("much padding", lambda rng: _inputs(rng, np.array([2, 3]), 11), grad=("x",)),
        Case("in float32", lambda rng: _inputs(rng, RAGGED), dtype="float32"),
        Case("on another device", lambda rng: _away(rng), probe="elsewhere"),
        Case(
            "no lengths, on another device", lambda rng: {"x": _away(rng)["x"]}, probe="elsewhere"
        ),
        Case("one sequence", lambda rng: _inputs(rng, np.array([3]), 5), corner=True),
        Case("two of three", lambda rng: _inputs(rng, np.array([3, 1, 2])), hidden=True),
        Case("an infinite number", lambda rng: _infinite(rng), corner=True),
    ),
    hint=(
        "Which position of x moves to position t? Position length − 1 − t if t is a real "
        "position, and t itself in the padding. Use `gather`, or one index for rows and one for "
        "positions."
    ),
)


def _inputs(rng, lengths, longest=None):
    longest = longest or int(lengths.max())
    return {"x": rng.standard_normal((len(lengths), longest, 3)), "lengths": lengths}


def _whole(rng):
    return {"x": rng.integers(17, size=(2, 5, 3)), "lengths": np.array([5, 5])}


def _infinite(rng):
    """It moves like any other."""
    drawn = _inputs(rng, RAGGED)
    drawn["x"][1, 0, 2] = np.inf
    return drawn


def _away(rng):
    """Whole numbers: only where the result lies is looked at."""
    return {"x": rng.integers(3, size=(2, 3, 1)).astype(float), "lengths": np.array([3, 1])}
