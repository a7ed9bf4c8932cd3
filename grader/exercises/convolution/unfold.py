"""`convolution.unfold`: patches as columns."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise
from grader.exercises.convolution import CONVOLUTION, PATCHES

EXERCISE = Exercise(
    title="Patches as columns (im2col)",
    section="patches",
    cases=(
        Case("a 3×2 kernel", lambda rng: _patches(rng, (3, 2)), 2, grad=("input",)),
        Case("stride", lambda rng: _patches(rng, (3, 2), 1, 2, stride=2), grad=("input",)),
        Case("padding", lambda rng: _patches(rng, (2, 3), 1, 2, padding=2), grad=("input",)),
        Case("dilation", lambda rng: _patches(rng, (2, 3), 1, 2, dilation=2)),
        Case(
            "all of them",
            lambda rng: _patches(rng, (3, 2), stride=2, padding=1, dilation=2),
            grad=("input",),
        ),
        Case("in float32", lambda rng: _patches(rng, (3, 2)), dtype="float32"),
        Case(
            "a single weight",
            lambda rng: _patches(rng, (1, 1), 1, 2, stride=2, padding=1),
            corner=True,
        ),
        Case(
            "padding wider than the kernel",
            lambda rng: _patches(rng, (2, 2), padding=3, stride=2),
            grad=("input",),
            hidden=True,
        ),
    ),
    tolerance=1e-9,
    hint=(
        "Loop over the weights of the kernel, not over the places: what one weight sees from all "
        "places is a slice of the padded picture, with the stride as its step."
    ),
    forbidden=(*PATCHES, *CONVOLUTION),
    needs=("output_size",),
)


def _patches(rng, kernel_size, count=2, channels=3, **steps):
    return {
        "input": 2.0 + rng.standard_normal((count, channels, 5, 7)),
        "kernel_size": list(kernel_size),
        **steps,
    }
