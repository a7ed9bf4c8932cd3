"""`preference.final_scores`: where a score may be read."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.preference import answers, normal

EXERCISE = Exercise(
    title="Reading the reward at the last token",
    section="comparisons",
    cases=(
        Case("other ends", lambda rng: _given(rng, [(3, 6), (1, 4), (2, 7)]), 2, grad=("scores",)),
        Case("to the end of the row", lambda rng: _given(rng, [(3, 7), (5, 7)]), grad=("scores",)),
        Case(
            "answers of one token", lambda rng: _given(rng, [(3, 4), (0, 1), (6, 7)]), corner=True
        ),
        Case("a hole in the answer", lambda rng: _hole(rng)),
        Case("NaN in the padding", lambda rng: _padding(rng)),
        Case("in float32", lambda rng: _given(rng, [(2, 5), (1, 3)]), dtype="float32"),
        Case("on another device", lambda rng: _given(rng, [(2, 5)]), probe="elsewhere"),
        Case("one row", lambda rng: _given(rng, [(2, 5)]), grad=("scores",), corner=True),
        Case(
            "five rows",
            lambda rng: _given(rng, [(1, 2), (2, 7), (3, 5), (0, 3), (6, 7)]),
            hidden=True,
        ),
    ),
    tolerance=1e-9,
    hint="Find the largest position at which the mask is true, in each row; then `gather`.",
)


def _given(rng, spans):
    rows = len(spans)
    return {"scores": normal(rng, rows, 7), "mask": answers(rows, 7, spans)}


def _hole(rng):
    given = _given(rng, [(1, 6), (2, 5)])
    given["mask"][:, 3] = False
    return given


def _padding(rng):
    given = _given(rng, [(3, 6), (1, 4), (2, 3)])
    given["scores"][~given["mask"]] = np.nan
    return given
