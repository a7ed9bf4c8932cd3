"""`model_compression.absmax_scale`: the largest magnitude gets the largest code."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.model_compression import odd

EXERCISE = Exercise(
    title="The absmax scale",
    section="quantization",
    cases=(
        Case("one for all, 8 bits", lambda rng: _low(rng, 8), 2),
        Case("one for each row", lambda rng: {"x": odd(rng, 5, 7), "bits": 4, "dim": -1}, 2),
        Case("one for each column", lambda rng: {"x": odd(rng, 5, 3), "bits": 3, "dim": 0}),
        Case("groups", lambda rng: {"x": odd(rng, 3, 2, 5), "bits": 2, "dim": 2}),
        Case("a row of zeros", lambda rng: _zeros(rng), corner=True),
        Case(
            "zeros alone",
            lambda rng: {"calls": [{"x": np.zeros(3), "bits": 4}, {"x": odd(rng, 3), "bits": 4}]},
            probe="calls",
        ),
        Case("one number", lambda rng: {"x": odd(rng, 1), "bits": 5}, corner=True),
        Case("in float32", lambda rng: {"x": odd(rng, 2, 3), "bits": 8}, dtype="float32"),
        Case("a row of one", lambda rng: {"x": odd(rng, 3, 1), "bits": 6, "dim": 1}, hidden=True),
    ),
    hint="`amax` of the magnitudes, with `keepdim=True` along an axis; `torch.where` for zeros.",
)


def _low(rng, bits):
    """The largest magnitude is negative."""
    x = odd(rng, 3, 5)
    x[1, 2] = -np.abs(x).max() - 0.25
    return {"x": x, "bits": bits}


def _zeros(rng):
    x = odd(rng, 3, 5)
    x[rng.integers(3)] = 0
    return {"x": x, "bits": 4, "dim": 1}
