"""`interpretability.control_labels`: one random label for each type."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise

EXERCISE = Exercise(
    title="Labels of a control task",
    section="probe-controls",
    cases=(
        Case("three labels", lambda rng: _task(rng, 23, 7, 3), 3),
        Case("one label is frequent", lambda rng: _rare(rng), 2),
        Case("more types than examples", lambda rng: _task(rng, 5, 11, 2)),
        Case("draws of 0 and close to 1", lambda rng: _edges(rng), corner=True),
        Case("one type", lambda rng: _task(rng, 5, 1, 3), corner=True),
        Case("in float32", lambda rng: _task(rng, 13, 5, 4), dtype="float32"),
        Case("five labels", lambda rng: _task(rng, 29, 11, 5), hidden=True),
    ),
    hint="Sort the labels: then a place in the list is a quantile. Look up a label for each type.",
)


def _task(rng, count, types, classes):
    return {
        "types": rng.integers(0, types, count),
        "labels": rng.integers(0, classes, count) + 1,
        "uniform": rng.integers(0, 64, types) / 64,
    }


def _rare(rng):
    given = _task(rng, 20, 9, 2)
    labels = np.array([4] * 16 + [0, 2, 2, 7])
    return given | {"labels": rng.permutation(labels)}


def _edges(rng):
    """No two labels are alike, and half of them is a whole number."""
    return {
        "types": rng.permutation(np.arange(8) % 3),
        "labels": rng.permutation(8) + 1,
        "uniform": rng.permutation(np.array([0.0, 1 - 2.0**-53, 0.5])),
    }
