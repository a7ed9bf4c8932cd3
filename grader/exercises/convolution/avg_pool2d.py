"""`convolution.avg_pool2d`: average pooling."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise
from grader.exercises.convolution import CONVOLUTION, _map, _rectified, whole

EXERCISE = Exercise(
    title="Average pooling",
    section="pooling",
    cases=(
        Case("windows of 2×2", lambda rng: _map(rng, 2), 2, grad=("input",)),
        Case("windows of 3×3", lambda rng: _map(rng, 3), grad=("input",)),
        Case("after a ReLU", lambda rng: _rectified(rng, 2), grad=("input",)),
        Case("overlapping windows", lambda rng: _map(rng, 3, stride=2), grad=("input",)),
        Case("in float16", lambda rng: whole(_map(rng, 2)), dtype="float16"),
        Case("on another device", lambda rng: _map(rng, 2), probe="elsewhere"),
        Case("a window of one", lambda rng: _map(rng, 1), hidden=True),
        Case("windows with gaps", lambda rng: _map(rng, 2, stride=3), grad=("input",)),
        Case(
            "a single picture",
            lambda rng: {**_map(rng, 2), "input": rng.random((1, 3, 4, 6))},
            corner=True,
        ),
    ),
    tolerance=1e-9,
    hint="This one is linear. Which kernel, and how many groups, make your `conv2d` do it?",
    forbidden=(
        "F.avg_pool2d",
        "nn.AvgPool2d",
        "F.adaptive_avg_pool2d",
        "F.avg_pool1d",
        "F.avg_pool3d",
        "nn.AdaptiveAvgPool2d",
        "F.interpolate",
        *CONVOLUTION,
    ),
    needs=("output_size", "unfold", "conv2d", "max_pool2d"),
)
