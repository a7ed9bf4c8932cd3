"""`convolution.conv2d_matrix`: the matrix of a convolution."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise
from grader.exercises.convolution import CONVOLUTION, settings

EXERCISE = Exercise(
    title="A convolution as a sparse matrix",
    section="linear-map",
    cases=(
        Case("one channel, one filter", lambda rng: _matrix(rng, 1, 1), 2),
        Case("channels and filters", lambda rng: _matrix(rng, 2, 3), 2),
        Case("stride and padding", lambda rng: {**_matrix(rng, 2, 3), **settings(2, 1)}),
        Case("in float16", lambda rng: _matrix(rng, 1, 1), dtype="float16"),
        Case("weights beyond float32", lambda rng: _matrix(rng, 1, 2, scale=1e200)),
        Case("on another device", lambda rng: _matrix(rng, 1, 2), probe="elsewhere"),
        Case("stride and dilation", lambda rng: {**_matrix(rng, 1, 2), **settings(2, 1, 2)}),
        Case("all of them", lambda rng: {**_matrix(rng, 3, 1), **settings(3, 2, 2)}, hidden=True),
        Case("one place", lambda rng: {**_matrix(rng, 1, 1), "size": [2, 3]}, corner=True),
    ),
    hint="A matrix times the n-th unit vector is its n-th column. What picture is a unit vector?",
    forbidden=CONVOLUTION,
    needs=("output_size", "unfold", "conv2d"),
)


def _matrix(rng, channels, filters, *, scale=1.0):
    weight = scale * (3.0 + rng.standard_normal((filters, channels, 2, 3)))
    return {"weight": weight, "size": [3, 5]}
