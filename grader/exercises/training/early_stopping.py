"""`training.early_stopping`: early stopping."""

from __future__ import annotations

import math

import numpy as np

from grader.author.afresh import changed
from grader.author.exercise import Case, Exercise


def curve(rng, *, length=19, patience, lowest, **holes):
    """Losses with one lowest value; ``nan`` and ``equal`` list epochs that are special."""
    losses = 1.0 + rng.random(length)
    losses[lowest] = 0.5
    losses[list(holes.get("equal", ()))] = 0.5
    losses[list(holes.get("nan", ()))] = np.nan
    return {"losses": [round(float(loss), 4) for loss in losses], "patience": patience}


def _later(rng, losses, patience):
    """Epochs before the first, none of which is the best."""
    known = [loss for loss in losses if math.isfinite(loss)]
    if not known or len(losses) == 1 or losses[0] == min(known):
        return {}
    worse = max(known) + 1.0 + rng.random(40)
    before = [float(loss) for loss in worse] if len(known) == len(losses) else [math.nan] * 40
    return {"losses": before[: int(rng.integers(3, 40))] + losses}


EXERCISE = Exercise(
    title="Early stopping",
    section="early-stopping",
    cases=(
        Case("long ago", lambda rng: curve(rng, patience=5, lowest=7)),
        Case("not long enough", lambda rng: curve(rng, patience=5, lowest=15)),
        Case("exactly so long ago", lambda rng: curve(rng, patience=5, lowest=13)),
        Case("one epoch less", lambda rng: curve(rng, patience=5, lowest=14)),
        Case(
            "equal is not better",
            lambda rng: curve(rng, patience=6, lowest=10, equal=[14, 17]),
            corner=True,
        ),
        Case("up and down afterwards", lambda rng: _zigzag(rng)),
        Case("patience of one", lambda rng: {"losses": [3.0, 2.0, 2.5], "patience": 1}),
        Case("not yet worse", lambda rng: {"losses": [3.0, 2.5, 2.0], "patience": 1}),
        Case("one that cannot be measured", lambda rng: curve(rng, patience=4, lowest=9, nan=[2])),
        Case("one is infinite", lambda rng: {"losses": [math.inf, 2.0, math.inf], "patience": 2}),
        Case(
            "infinite is as bad as NaN",
            lambda rng: {"losses": [math.inf, math.nan, math.inf], "patience": 3},
        ),
        Case(
            "huge is better than NaN",
            lambda rng: {"losses": [math.nan, 1e300, math.inf], "patience": 1},
        ),
        Case("NaN, then infinite", lambda rng: {"losses": [math.nan, math.inf], "patience": 1}),
        Case("bumps that are no trend", lambda rng: _bumps(rng)),
        Case("some are not numbers", lambda rng: curve(rng, patience=9, lowest=8, nan=[0, 3, 18])),
        Case("NaN, and time left", lambda rng: {"losses": [2.0, math.nan], "patience": 2}),
        Case("none is a number", lambda rng: {"losses": [float("nan")] * 3, "patience": 2}),
        Case("a first epoch", lambda rng: {"losses": [float(rng.random())], "patience": 1}),
        Case("below zero", lambda rng: {"losses": [-1.0, -3.0, -2.0], "patience": 1}),
        Case(
            "nearly equal",
            lambda rng: {"losses": [1.0, 1.0 - 1e-9, 1.0], "patience": 2},
            corner=True,
        ),
        Case("rising from the first", lambda rng: curve(rng, patience=18, lowest=0), hidden=True),
        Case(
            "a loss of −∞",
            lambda rng: {"losses": [1.0, -math.inf, 0.5, math.nan], "patience": 2},
            corner=True,
        ),
    ),
    hint="Find the epoch of the lowest loss; how many epochs came after it?",
    returns=("the best epoch", "whether to stop"),
    afresh=changed(_later),
)


def _zigzag(rng):
    """No two epochs in a row are worse than the one before, and none is better than the fifth."""
    losses = [3.0, 2.0, 2.5, 1.5, 0.5, *[1.5, 1.0] * 4] + 0.1 * rng.random(13)
    return {"losses": [float(loss) for loss in losses], "patience": 3}


def _bumps(rng):
    """Falls in steps of two down and one up."""
    losses = np.cumsum([4.0, *[-2.0, 1.0] * 7, 0.5, 0.25]) + 0.01 * rng.random(17)
    return {"losses": [float(loss) for loss in losses], "patience": 4}
