"""`diffusion.time_features`: a number as waves."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.diffusion import between

EXERCISE = Exercise(
    title="Features of time",
    section="denoiser-network",
    tolerance=1e-8,
    cases=(
        Case("a batch", lambda rng: _times(rng, 6, 5), 2, grad=("times",)),
        Case("other rates", lambda rng: _times(rng, 8, 3) | {"fastest": 64.0}, 2),
        Case("two rates", lambda rng: _times(rng, 4, 3)),
        Case("a single time", lambda rng: _times(rng, 6), corner=True),
        Case("two leading axes", lambda rng: _times(rng, 4, 3, 2), corner=True),
        Case("one time in a row", lambda rng: _times(rng, 6, 1), corner=True),
        Case("an odd width", lambda rng: _times(rng, 7, 3), raises="ValueError"),
        Case("a width of 2", lambda rng: _times(rng, 2, 3), raises="ValueError"),
        Case("on another device", lambda rng: _times(rng, 6, 2), probe="elsewhere"),
        Case("in float32", lambda rng: _times(rng, 6, 5) | {"fastest": 64.0}, dtype="float32"),
        Case("many rates", lambda rng: _times(rng, 14, 3), hidden=True),
    ),
    hint=(
        "W/2 exponents from 0 to 1, evenly spaced; the rates are `fastest` to these powers. Then "
        "sines, then cosines."
    ),
)


def _times(rng, width, *lead):
    return {"times": np.array(between(rng, 0.0625, 1, *lead)), "width": width}
