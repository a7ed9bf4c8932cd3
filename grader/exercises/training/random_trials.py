"""`training.random_trials`: trials of a random search."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise

EXERCISE = Exercise(
    title="Trials of a random search",
    section="random-search",
    tolerance=1e-10,
    cases=(
        Case("two ranges", lambda rng: _ranges(rng, [1e-4, 0.03], [1.0, 0.3]), 2),
        Case(
            "the ends", lambda rng: {"draws": np.eye(2), "low": [1e-3, 2.0], "high": [10.0, 64.0]}
        ),
        Case(
            "as many trials as ranges", lambda rng: _ranges(rng, [1e-4, 3.0], [1.0, 7.0], count=2)
        ),
        Case("from high to low", lambda rng: _ranges(rng, [1.0, 0.03], [1e-4, 0.3])),
        Case("a single range", lambda rng: _ranges(rng, [1e-3], [7.0], count=5), corner=True),
        Case(
            "a single trial",
            lambda rng: _ranges(rng, [1e-3, 2.0], [7.0, 5.0], count=1),
            corner=True,
        ),
        Case(
            "single precision",
            lambda rng: _ranges(rng, [1e-4, 0.03], [1.0, 0.3]),
            dtype="float32",
        ),
        Case(
            "three ranges", lambda rng: _ranges(rng, [1e-6, 1.0, 0.5], [1.0, 1e6, 0.6]), hidden=True
        ),
        Case(
            "from 10⁻²⁰⁰ to 10²⁰⁰",
            lambda rng: _ranges(rng, [1e-200, 0.1], [1e200, 2.0]),
            corner=True,
        ),
    ),
    hint=(
        "Even on a logarithmic scale: u = 0 gives `low`, u = 1 gives `high`, and u = ½ their "
        "geometric mean."
    ),
)


def _ranges(rng, low, high, *, count=13):
    return {"draws": rng.random((count, len(low))), "low": low, "high": high}
