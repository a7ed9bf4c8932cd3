"""`diffusion.from_velocity`: two equations, two unknowns."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.diffusion import FLOW, between, few, levels_of

EXERCISE = Exercise(
    title="From a velocity to the clean example and the noise",
    section="flow-matching",
    tolerance=1e-8,
    returns=("the clean example", "the noise"),
    cases=(
        Case("on a straight path", lambda rng: _flow(rng, 3, 2), 2, grad=("noisy", "velocity")),
        Case("on a circle", lambda rng: _circle(rng), 2),
        Case("any rates", lambda rng: _any(rng, 3, 2)),
        Case("backward", lambda rng: _backward(rng)),
        Case("predicted noise", lambda rng: _noise(rng)),
        Case("clean", lambda rng: _clean(rng), corner=True),
        Case("very low rates", lambda rng: _slow(rng)),
        Case("one number each", lambda rng: _each(rng, 5), corner=True),
        Case("a level and rates for each example", lambda rng: _each(rng, 3, 3), 2),
        Case("pictures", lambda rng: _each(rng, 2, 1, 2, 2)),
        Case("pure noise", lambda rng: _flow(rng, 2, 3) | {"levels": np.array([0.0, 1.0])}),
        Case("one example", lambda rng: _any(rng, 1, 3), corner=True),
        Case("in float32", lambda rng: _each(rng, 3, 2), dtype="float32"),
        Case("sequences", lambda rng: _each(rng, 2, 3, 2), hidden=True),
    ),
    hint="Cramer's rule: the determinant of the two equations is a s' − s a'.",
)


def _points(rng, *shape):
    return {"noisy": few(rng, *shape), "velocity": few(rng, *shape)}


def _flow(rng, *shape):
    time = between(rng, 0.25, 0.75)
    return _points(rng, *shape) | {"levels": np.array([1 - time, time]), "rates": FLOW}


def _circle(rng):
    """Per unit of angle."""
    signal, noise = np.array([3.0, 4.0]) / 5 if rng.random() < 0.5 else np.array([5.0, 12.0]) / 13
    return _points(rng, 3, 2) | {
        "levels": np.array([signal, noise]),
        "rates": np.array([-noise, signal]),
    }


def _rates(rng, *lead):
    """The signal falls, the noise grows, both at rates that are not 1."""
    return np.stack([-between(rng, 1.25, 3, *lead), between(rng, 1.25, 3, *lead)], axis=-1)


def _any(rng, *shape):
    return _points(rng, *shape) | {"levels": levels_of(rng), "rates": _rates(rng)}


def _each(rng, *shape):
    count = shape[0]
    return _points(rng, *shape) | {"levels": levels_of(rng, count), "rates": _rates(rng, count)}


def _backward(rng):
    """The signal grows and the noise falls: the determinant is below 0."""
    given = _any(rng, 3, 2)
    return given | {"rates": -given["rates"]}


def _noise(rng):
    """A level for each example, and one pair of rates for all."""
    return _each(rng, 3, 2) | {"rates": np.array([0.0, 1.0])}


def _clean(rng):
    """One level for all, and rates for each example."""
    return _each(rng, 3, 2) | {"levels": np.array([1.0, 0.0])}


def _slow(rng):
    """The velocity is as small as the rates, and the determinant smaller than usual safeguards."""
    given = _circle(rng)
    return given | {name: 2.0**-20 * given[name] for name in ("velocity", "rates")}
