"""`interpretability.superposition_loss`: features through too few dimensions."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.interpretability import few

EXERCISE = Exercise(
    title="The loss of the toy model",
    section="superposition",
    tolerance=1e-9,
    cases=(
        Case("one model", lambda rng: _model(rng, 5, 2, 3), 2, grad=("weight", "bias")),
        Case("models side by side", lambda rng: _model(rng, 3, 2, 5, 2), 2),
        Case("two leading axes", lambda rng: _model(rng, 2, 1, 3, 2, 1), corner=True),
        Case("one example", lambda rng: _model(rng, 1, 2, 3), corner=True),
        Case("in float32", lambda rng: _model(rng, 3, 2, 3), dtype="float32"),
        Case("more features", lambda rng: _model(rng, 7, 3, 11), hidden=True),
    ),
    hint="`x @ weight.mT` is h for a batch of rows, and `h @ weight` goes back.",
)


def _model(rng, count, width, features, *lead):
    return {
        "x": np.abs(few(rng, *lead, count, features)),
        "weight": few(rng, *lead, width, features),
        "bias": few(rng, *lead, features) / 2,
        "importance": rng.integers(1, 17, (*lead, features)) / 8,
    }
