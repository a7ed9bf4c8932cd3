"""`convolution.max_pool2d`: max pooling, and whom it thanks."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.convolution import PATCHES, _map, _rectified

EXERCISE = Exercise(
    title="Max pooling, and where its gradient goes",
    section="pooling",
    cases=(
        Case("windows of 2×2", lambda rng: _map(rng, 2), 2, grad=("input",)),
        Case("after a ReLU", lambda rng: _rectified(rng, 2), 2, grad=("input",)),
        Case("windows of 3×3", lambda rng: _map(rng, 3), grad=("input",)),
        Case("many equal numbers", lambda rng: _few(rng), 2, grad=("input",), corner=True),
        Case("overlapping windows", lambda rng: _map(rng, 3, stride=2), grad=("input",)),
        Case("in float32", lambda rng: _map(rng, 2), dtype="float32"),
        Case("numbers beyond float32", lambda rng: _huge(rng)),
        Case("windows with gaps", lambda rng: _map(rng, 2, stride=3), grad=("input",)),
        Case("a window of one", lambda rng: _map(rng, 1), hidden=True),
        Case("equal everywhere", lambda rng: _flat(rng), grad=("input",), hidden=True, corner=True),
    ),
    tolerance=1e-9,
    hint=(
        "Let `unfold` make one column per window, with every channel as a picture of its own; "
        "`argmax` takes the first of equals, and `gather` fetches it."
    ),
    forbidden=(
        "F.max_pool2d",
        "torch.max_pool2d",
        "F.max_pool2d_with_indices",
        "nn.MaxPool2d",
        "F.adaptive_max_pool2d",
        "F.max_pool1d",
        "F.max_pool3d",
        "nn.AdaptiveMaxPool2d",
        *PATCHES,
    ),
    needs=("output_size", "unfold"),
)


def _few(rng):
    """Numbers from 0 to 2, so that parts of a window are equal."""
    return {"input": rng.integers(0, 3, (2, 3, 6, 9)).astype(float), "kernel_size": 3}


def _huge(rng):
    drawn = _map(rng, 2)
    return {**drawn, "input": 1e200 * drawn["input"][:1]}


def _flat(rng):
    return {"input": np.full((1, 2, 5, 4), rng.standard_normal()), "kernel_size": 2}
