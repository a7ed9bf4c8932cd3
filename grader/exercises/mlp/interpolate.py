"""`mlp.interpolate`: a network through given points."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise

EXERCISE = Exercise(
    title="A network that interpolates given points",
    section="approximation",
    tolerance=1e-10,
    cases=(
        Case("seven points", lambda rng: _points(rng, 7), 2),
        Case("uneven steps", lambda rng: _uneven(rng), 2),
        Case("two points", lambda rng: _points(rng, 2)),
        Case("three points", lambda rng: _points(rng, 3)),
        Case("a straight line", lambda rng: _line(rng)),
        Case("float32", lambda rng: _points(rng, 5), dtype="float32"),
        Case("eleven points", lambda rng: _points(rng, 11), hidden=True),
        Case("far-out numbers", lambda rng: _far(rng), corner=True),
    ),
    hint=(
        "Left of the first knot all units are off. At each knot the next unit turns on and adds "
        "its weight in W₂ to the slope. That weight is the slope to the right of the knot minus "
        "the slope to the left."
    ),
    returns=("the weight W_{1}", "the bias b_{1}"),
)


def _points(rng, count):
    steps = rng.uniform(0.5, 1.5, count)
    return {"knots": np.cumsum(steps) - count / 2, "values": rng.standard_normal(count)}


def _uneven(rng):
    """Steps of all sizes, and values far from zero."""
    drawn = _points(rng, 5)
    knots = np.array([-3.0, -2.9, 0.0, 0.25, 7.0]) + rng.uniform(0.0, 0.05)
    return {"knots": knots, "values": drawn["values"] + 100.0}


def _line(rng):
    knots = _points(rng, 5)["knots"]
    return {"knots": knots, "values": 2.0 - 3.0 * knots}


def _far(rng):
    """Far beyond what is commonly clamped."""
    drawn = _points(rng, 5)
    return {**drawn, "knots": 1e-9 * drawn["knots"]}
