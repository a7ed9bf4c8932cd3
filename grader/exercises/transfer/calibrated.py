"""`transfer.calibrated`: what a model would say to anything, taken out."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.transfer import logs

EXERCISE = Exercise(
    title="Contextual calibration",
    section="calibrated-answers",
    cases=(
        Case("one blank", lambda rng: _given(rng, (5, 3)), 2, grad=("scores", "blank")),
        Case("several blanks", lambda rng: _given(rng, (5, 3), 4), 2, grad=("scores", "blank")),
        Case("one question", lambda rng: _given(rng, (7,))),
        Case("one question, and one of several blanks", lambda rng: _given(rng, (7,), 1)),
        Case("more axes", lambda rng: _given(rng, (2, 5, 3), 2), corner=True),
        Case("a batch of one", lambda rng: _given(rng, (1, 3), 1), corner=True),
        Case("one answer", lambda rng: _given(rng, (5, 1)), corner=True),
        Case("the question is blank", lambda rng: _same(rng)),
        Case("sums far from 0", lambda rng: _given(rng, (5, 3), 4, size=60.0, shift=-900.0)),
        Case("far apart", lambda rng: _far(rng)),
        Case("as many blanks as answers", lambda rng: _given(rng, (3, 3), 3)),
        Case("in float32", lambda rng: _given(rng, (5, 3), 4), dtype="float32"),
        Case("drawn", lambda rng: _given(rng, (3, 11), 7, shift=-40.0), hidden=True),
    ),
    hint="Divide probabilities by subtracting their logarithms. The average is of probabilities.",
)


def _given(rng, shape, blanks=None, *, size=1.0, shift=0.0):
    one = (shape[-1],) if blanks is None else (blanks, shape[-1])
    moved = shift * np.arange(1, 1 + (blanks or 1))[:, None] / 3
    blank = size * logs(rng, *one) + (moved if blanks else shift)
    return {"scores": size * logs(rng, *shape) + shift, "blank": blank}


def _same(rng):
    blank = logs(rng, 5)
    return {"scores": np.stack([blank, blank + 3]), "blank": blank}


def _far(rng):
    """One answer is so unlikely after every blank that its probability is 0 in float64."""
    usual = np.array([[0.0, -900.0, -2000.0], [-950.0, 0.0, -2100.0]])
    blank = usual + logs(rng, 2, 3)
    return {"scores": usual.max(axis=0) + logs(rng, 5, 3), "blank": blank}
