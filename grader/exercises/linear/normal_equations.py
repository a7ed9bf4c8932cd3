"""`linear.normal_equations`: linear regression in closed form."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.linear import C, D

EXERCISE = Exercise(
    title="Linear regression in closed form",
    section="linear-regression",
    cases=(
        Case("no penalty", lambda rng: _regression(rng), 2),
        Case("with a penalty", lambda rng: _regression(rng, l2=0.3), 2),
        Case(
            "features far from zero",
            lambda rng: _regression(rng, l2=0.03, offset=10.0),
            corner=True,
        ),
        Case("more features than examples", lambda rng: _regression(rng, count=5, l2=0.1)),
        Case("one output", lambda rng: _regression(rng, outputs=1, l2=0.01), corner=True),
        Case("a constant feature", lambda rng: _constant_feature(rng), hidden=True, corner=True),
        Case("in float32", lambda rng: _regression(rng, l2=0.3), dtype="float32"),
        Case(
            "a constant feature, no penalty",
            lambda rng: {**_constant_feature(rng), "l2": 0.0},
            raises="ValueError",
        ),
        Case(
            "a constant feature that is rounded, no penalty",
            lambda rng: {**_constant_feature(rng, 1e4 / 7), "l2": 0.0},
            raises="ValueError",
        ),
        Case(
            "a feature that others add up to, no penalty",
            lambda rng: {**_dependent(rng), "l2": 0.0},
            raises="ValueError",
        ),
        Case(
            "a feature that others add up to, in small units",
            lambda rng: _small_too(rng),
            corner=True,
        ),
        Case(
            "too few examples, no penalty",
            lambda rng: _regression(rng, count=D),
            raises="ValueError",
        ),
        Case("just enough examples", lambda rng: _just_enough(rng), corner=True),
        Case("features in units of their own", lambda rng: _units(rng)),
        Case("no penalty by default", lambda rng: _without(_regression(rng), "l2")),
        Case("two features that are nearly equal", lambda rng: _nearly_equal(rng), corner=True),
        Case("features in units of 10⁻⁹", lambda rng: _small(rng), corner=True),
    ),
    hint=(
        "Center features and target first; the bias then moves the plane back to the means. "
        "`torch.linalg.solve(A, b)` solves A x = b for all columns of b at once. There is one "
        "solution if the centered features have full rank; compute the rank before anything is "
        "squared."
    ),
)


def _regression(rng, *, count=23, outputs=C, l2=0.0, offset=1.0):
    features = offset + rng.standard_normal((count, D))
    truth = rng.standard_normal((D, outputs))
    noise = rng.standard_normal((count, outputs))
    target = features @ truth + 3 * rng.standard_normal(outputs) + noise
    return {"features": features, "target": target, "l2": l2}


def _just_enough(rng):
    """One example more than features, and these at right angles: no draw is nearly dependent."""
    drawn = _regression(rng, count=D + 1)
    beside = np.column_stack([np.ones(D + 1), rng.standard_normal((D + 1, D))])
    drawn["features"] = 1 + np.linalg.qr(beside)[0][:, 1:] * rng.uniform(1, 3, D)
    return drawn


def _constant_feature(rng, value=4.0):
    """Of 10⁴ / 7 the mean is rounded, so that a little of it is left."""
    drawn = _regression(rng, l2=0.2)
    drawn["features"][:, 2] = value
    return drawn


def _units(rng):
    """Deviations from 2⁻¹⁹ to 2⁶: beside the large squares, rounding swallows the small. They are
    equal to those in every draw, so that none is nearer to a test of rank than another.
    """
    drawn = _regression(rng)
    deviations = drawn["features"] - drawn["features"].mean(axis=0)
    deviations /= deviations.std(axis=0)
    drawn["features"] = (1 + deviations) * 2.0 ** np.linspace(-19, 6, D).round()
    return drawn


def _small_too(rng):
    """A penalty is one however small it is: it is as large as the squares of these features."""
    drawn = _dependent(rng)
    return {**drawn, "features": 1e-7 * drawn["features"], "l2": 1e-14 * drawn["l2"]}


def _dependent(rng):
    drawn = _regression(rng, l2=0.2)
    features = drawn["features"]
    features[:, 4] = 2.0 * features[:, 0] - features[:, 3] + 1.0
    return drawn


def _without(drawn, *names):
    """Left to their defaults."""
    return {name: value for name, value in drawn.items() if name not in names}


def _nearly_equal(rng):
    """Equal in two digits: one solution still, though a coarse test of rank misses it."""
    drawn = _regression(rng)
    features = drawn["features"]
    features[:, 1] = features[:, 0] + 2.0**-7 * features[:, 1]
    return drawn


def _small(rng):
    drawn = _regression(rng)
    drawn["features"] *= 1e-9
    return drawn
