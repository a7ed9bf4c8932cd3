"""`convolution.correlate2d`: a kernel slides over a picture."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise
from grader.exercises.convolution import CONVOLUTION, PATCHES

EXERCISE = Exercise(
    title="Cross-correlation: a kernel slides over a picture",
    section="sliding",
    cases=(
        Case("a 3×2 kernel", lambda rng: _slide(rng, 3, 2), 2, grad=("input", "kernel")),
        Case("a square kernel", lambda rng: _slide(rng, 3, 3), grad=("input", "kernel")),
        Case("as large as the picture", lambda rng: _slide(rng, 7, 11), corner=True),
        Case("in float32", lambda rng: _slide(rng, 3, 2), dtype="float32"),
        Case("a single weight", lambda rng: _slide(rng, 1, 1), hidden=True, corner=True),
        Case("a row of weights", lambda rng: _slide(rng, 1, 5), grad=("input",), hidden=True),
        Case("a far value where the kernel is 0", lambda rng: _unseen(rng), corner=True),
    ),
    tolerance=1e-9,
    hint="The window whose top left corner is (i, j) is `input[i : i + height, j : j + width]`.",
    forbidden=(*CONVOLUTION, *PATCHES),
    needs=("output_size",),
)


def _slide(rng, height, width):
    return {
        "input": rng.standard_normal((7, 11)),
        "kernel": 1.0 + rng.standard_normal((height, width)),
    }


def _unseen(rng):
    """Only the first window holds the far value, and gives it no weight."""
    drawn = _slide(rng, 3, 2)
    drawn["input"][0, 0], drawn["kernel"][0, 0] = 1e15, 0.0
    return drawn
