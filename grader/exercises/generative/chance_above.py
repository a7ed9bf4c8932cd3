"""`generative.chance_above`: how well a number tells two kinds apart."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise

EXERCISE = Exercise(
    title="The area under the ROC curve",
    section="no-digit",
    tolerance=1e-6,  # where whole numbers are divided, torch makes float32 of them
    cases=(
        Case("overlapping", lambda rng: _numbers(rng, 23, 37), 2),
        Case("the second is higher", lambda rng: _numbers(rng, 19, 11, lead=-1.0)),
        Case("many ties", lambda rng: _ties(rng), 2),
        Case(
            "all equal",
            lambda rng: {"first": np.full(5, 2.5), "second": np.full(3, 2.5)},
            corner=True,
        ),
        Case("as many of each", lambda rng: _numbers(rng, 13, 13), corner=True),
        Case("apart", lambda rng: _numbers(rng, 7, 5, lead=-1e3)),
        Case("log densities", lambda rng: _numbers(rng, 13, 17, lead=1.0, level=-4000.0)),
        Case("infinite ones", lambda rng: _infinite(rng)),
        Case("almost equal", lambda rng: _almost(rng), corner=True),
        Case("one of each", lambda rng: _numbers(rng, 1, 1), corner=True),
        Case("float16", lambda rng: _numbers(rng, 23, 37), dtype="float16"),
        Case(
            "nothing on one side",
            lambda rng: {"first": rng.standard_normal(3), "second": np.zeros(0)},
            raises="ValueError",
        ),
        Case(
            "nothing on the other side",
            lambda rng: {"first": np.zeros(0), "second": rng.standard_normal(3)},
            raises="ValueError",
        ),
        Case("very different counts", lambda rng: _numbers(rng, 101, 3), hidden=True),
    ),
    hint="Compare every number of one kind with every one of the other: (n, 1) against (m,).",
)


def _numbers(rng, count, others, *, lead=1.0, level=0.0):
    return {
        "first": level + lead + rng.standard_normal(count),
        "second": level + rng.standard_normal(others),
    }


def _ties(rng):
    return {
        "first": rng.integers(0, 4, 17).astype(float),
        "second": rng.integers(-1, 3, 13).astype(float),
    }


def _almost(rng):
    drawn = _ties(rng)
    return {**drawn, "first": drawn["first"] + 1e-12}


def _infinite(rng):
    drawn = _numbers(rng, 11, 13)
    drawn["first"][:2], drawn["second"][:5] = -np.inf, -np.inf
    drawn["first"][2:5], drawn["second"][5:7] = np.inf, np.inf
    return drawn
