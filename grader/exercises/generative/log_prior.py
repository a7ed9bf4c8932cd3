"""`generative.log_prior`: how common each class is."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.generative import C, gap, labels_of

EXERCISE = Exercise(
    title="The log prior of each class",
    section="questions",
    cases=(
        Case("every class counted", lambda rng: _labels(rng, classes=C)),
        Case("smoothed", lambda rng: _labels(rng, classes=C, smoothing=1.5), 2),
        Case("no example of the last class, nor of one in the middle", lambda rng: _gaps(rng)),
        Case(
            "no labels",
            lambda rng: {"labels": np.zeros(0, dtype=np.int64), "classes": C},
            raises="ValueError",
        ),
        Case(
            "no labels, smoothed",
            lambda rng: {"labels": np.zeros(0, dtype=np.int64), "classes": C, "smoothing": 0.25},
        ),
        Case(
            "where the default float is float64",
            lambda rng: _labels(rng, classes=C, smoothing=0.3),
            probe="defaults",
        ),
        Case(
            "no example, smoothed",
            lambda rng: _labels(rng, classes=C + 2, smoothing=0.7),
            hidden=True,
            corner=True,
        ),
        Case(
            "one class",
            lambda rng: {"labels": np.zeros(7, dtype=np.int64), "classes": 1},
            corner=True,
        ),
    ),
    hint="`torch.bincount` counts; its `minlength` says how many classes there are.",
    tolerance=1e-4,
)


def _labels(rng, *, classes, smoothing=0.0):
    return {"labels": labels_of(rng, 31), "classes": classes, "smoothing": smoothing}


def _gaps(rng):
    drawn = gap(_labels(rng, classes=C))
    return {**drawn, "classes": C + 2}
