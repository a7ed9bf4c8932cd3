"""`gpt.fit_power_law`: a straight line through logarithms."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise

EXERCISE = Exercise(
    title="Fitting a power law",
    section="scaling-laws",
    cases=(
        Case("seven sizes", lambda rng: _given(rng, 7), 2, grad=("x", "y")),
        Case("an offset", lambda rng: _given(rng, 7, offset=1.3), 2, grad=("x", "y")),
        Case("an offset below zero", lambda rng: _given(rng, 5, offset=-0.4)),
        Case("three sizes", lambda rng: _given(rng, 3, offset=0.7)),
        Case("steep", lambda rng: _given(rng, 11, power=1.7)),
        Case("a loss that grows", lambda rng: _given(rng, 7, power=-0.6)),
        Case("unevenly spaced, in any order", lambda rng: _given(rng, 13, even=False)),
        Case("much noise", lambda rng: _given(rng, 11, noise=0.4, offset=0.5)),
        Case("sizes in billions, and losses near the offset", lambda rng: _near(rng), corner=True),
        Case("in float32", lambda rng: _given(rng, 7, offset=0.9), dtype="float32"),
        Case("more sizes", lambda rng: _given(rng, 17, offset=0.3, even=False), hidden=True),
    ),
    tolerance=1e-8,  # sums of a few logarithms
    returns=("a", "α", "the standard error of α"),
    hint="Take logarithms of both sides of y − offset = a x⁻ᵅ: what is the slope of that line?",
)


def _near(rng):
    made = _given(rng, 7)
    return {"x": 1e-3 * made["x"], "y": 0.5 + 1e-4 * made["y"], "offset": 0.5}


def _given(rng, n, *, power=0.3, offset=None, noise=0.05, even=True):
    x = np.geomspace(2.0, 90.0, n) if even else rng.permutation(np.exp(rng.uniform(0.3, 4.5, n)))
    above = 3.0 * x**-power * np.exp(noise * rng.standard_normal(n))
    if offset is None:
        return {"x": x, "y": above}
    return {"x": x, "y": above + offset, "offset": offset}
