"""`convolution.shift`: a picture, moved."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise

EXERCISE = Exercise(
    title="Shifting a picture",
    section="one-pixel",
    cases=(
        Case("down and to the left", lambda rng: _moved(rng, down=2, right=-3), 2, grad=("input",)),
        Case("up and to the right", lambda rng: _moved(rng, down=-1, right=2), grad=("input",)),
        Case("a batch with channels", lambda rng: _moved(rng, 2, 3, down=-4, right=1)),
        Case("in float16", lambda rng: _moved(rng, down=2, right=-3), dtype="float16"),
        Case("to the right alone", lambda rng: _moved(rng, 2, right=6), grad=("input",)),
        Case("not at all", lambda rng: _moved(rng), grad=("input",)),
        Case("by as much as there is", lambda rng: _moved(rng, 2, down=-5), corner=True),
        Case("far out to the left", lambda rng: _moved(rng, 3, down=2, right=-9), corner=True),
        Case("far out to the right", lambda rng: _moved(rng, 3, down=19, right=8), corner=True),
        Case("an infinite pixel leaves", lambda rng: _infinite(rng)),
        Case("an infinite pixel stays", lambda rng: _staying(rng), corner=True),
        Case("an infinite pixel leaves with all the others", lambda rng: _gone(rng), corner=True),
        Case(
            "on another device",
            lambda rng: _moved(rng, down=2, right=-3),
            probe="elsewhere",
        ),
        Case("up and out", lambda rng: _moved(rng, down=-6, right=1), hidden=True, corner=True),
        Case("one picture of one channel", lambda rng: _moved(rng, 1, 1, down=1), corner=True),
    ),
    tolerance=1e-9,
    hint=(
        "Moving right by 2 is two columns of zeros on the left and two columns less on the right; "
        "`F.pad` does both, since a negative pad cuts off."
    ),
)


def _moved(rng, *lead, **by):
    return {"input": rng.standard_normal((*lead, 5, 7)), **by}


def _infinite(rng):
    drawn = _moved(rng, 2, right=2)
    drawn["input"][0, 1, 6] = np.inf
    return drawn


def _gone(rng):
    drawn = {"input": rng.standard_normal((2, 3)), "down": -3}
    drawn["input"][0, 1], drawn["input"][1, 2] = np.inf, np.nan
    return drawn


def _staying(rng):
    drawn = _moved(rng, 2, down=1, right=2)
    drawn["input"][0, 1, 2], drawn["input"][0, 2, 3] = np.inf, -np.inf
    drawn["input"][1, 0, 1] = np.nan
    return drawn
