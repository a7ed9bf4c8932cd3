"""`bert.fit_probe`: a linear probe in closed form."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise

EXERCISE = Exercise(
    title="A linear probe",
    section="bert-probe",
    cases=(
        Case("three labels", lambda rng: _given(rng, 31, 5, 3), 3),
        Case("far from the origin", lambda rng: _far(rng), 2, corner=True),
        Case("another decay", lambda rng: _given(rng, 31, 5, 3, decay=0.5), 2),
        Case("twice as many examples", lambda rng: _twice(rng)),
        Case("features large and small", lambda rng: _uneven(rng)),
        Case("fewer examples than features", lambda rng: _given(rng, 7, 11, 3, decay=0.1)),
        Case("a label that no example has", lambda rng: _absent(rng), corner=True),
        Case("one feature", lambda rng: _given(rng, 13, 1, 2, decay=0.1), corner=True),
        Case("in float32", lambda rng: _given(rng, 31, 5, 3, decay=0.5), dtype="float32"),
        Case("many labels", lambda rng: _given(rng, 61, 7, 11, decay=0.05), hidden=True),
    ),
    hint=(
        "Subtract the means from features and one-hot labels; then solve (XᵀX + decay · n · I) Wᵀ "
        "= XᵀY. The bias restores the means."
    ),
    returns=("W", "b"),
)


def _given(rng, count, width, classes, **other):
    labels = rng.integers(0, classes, count)
    features = (
        rng.standard_normal((count, width)) + 0.5 * rng.standard_normal((classes, width))[labels]
    )
    return {"features": features, "labels": labels, "classes": classes, **other}


def _far(rng):
    given = _given(rng, 31, 5, 3, decay=0.2)
    return given | {"features": given["features"] + 4 * rng.standard_normal(5)}


def _uneven(rng):
    given = _given(rng, 31, 5, 3)
    return given | {"features": given["features"] * np.array([100.0, 1.0, 0.1, 10.0, 1.0])}


def _twice(rng):
    given = _given(rng, 17, 5, 3, decay=0.3)
    return given | {name: np.concatenate([given[name]] * 2) for name in ("features", "labels")}


def _absent(rng):
    given = _given(rng, 31, 5, 3, decay=0.1)
    return given | {"classes": 5}
