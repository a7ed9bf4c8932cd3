"""`convolution.conv2d`: convolution as a matrix product."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.convolution import CONVOLUTION, PATCHES, settings

EXERCISE = Exercise(
    title="Convolution as a matrix product",
    section="channels",
    cases=(
        Case("three channels, five filters", lambda rng: _layer(rng), 2, grad=("input", "weight")),
        Case("no bias", lambda rng: _layer(rng, bias=False), grad=("input", "weight")),
        Case(
            "stride, padding and dilation",
            lambda rng: {**_layer(rng), **settings(3, 2, 2)},
            grad=("input", "weight", "bias"),
        ),
        Case(
            "two groups",
            lambda rng: {**_layer(rng, channels=4, filters=6, depth=2), "groups": 2},
            2,
            grad=("input", "weight", "bias"),
        ),
        Case(
            "a group for each channel, dilated",
            lambda rng: {
                **_layer(rng, channels=3, filters=6, depth=1),
                "groups": 3,
                **settings(2, 1, 2),
            },
        ),
        Case(
            "as many filters as columns",
            lambda rng: _layer(rng, channels=2, filters=3, depth=2),
            grad=("bias",),
        ),
        Case(
            "channels that do not fit",
            lambda rng: _layer(rng, count=1, channels=4),
            raises="ValueError",
        ),
        Case(
            "kernels of one channel, pictures of more",
            lambda rng: _layer(rng, count=1, channels=2, filters=2, depth=1),
            raises="ValueError",
        ),
        Case(
            "pictures of one channel, kernels of more",
            lambda rng: _layer(rng, count=1, channels=1, filters=2, depth=2),
            raises="ValueError",
        ),
        Case(
            "filters that do not divide",
            lambda rng: {**_layer(rng, count=1, channels=4, depth=2), "groups": 2},
            raises="ValueError",
        ),
        Case(
            "a channel too many for the groups",
            lambda rng: {**_layer(rng, count=1, channels=5, filters=6, depth=2), "groups": 2},
            raises="ValueError",
        ),
        Case(
            "a bias of zero",
            lambda rng: {**_layer(rng), "bias": np.zeros(5)},
            grad=("bias",),
            corner=True,
        ),
        Case("in float32", lambda rng: _layer(rng), dtype="float32"),
        Case("one picture", lambda rng: _layer(rng, count=1), corner=True),
        Case(
            "groups and steps",
            lambda rng: {
                **_layer(rng, channels=4, filters=6, depth=2),
                "groups": 2,
                **settings(2, 1, 2),
            },
            grad=("weight",),
            hidden=True,
        ),
    ),
    tolerance=1e-9,
    hint=(
        "Give patches and kernels an axis for the groups; `@` multiplies group by group. At the "
        "end the places become rows and columns again."
    ),
    forbidden=(*CONVOLUTION, *PATCHES),
    needs=("output_size", "unfold"),
)


def _layer(rng, *, count=2, channels=3, filters=5, depth=3, bias=True):
    given = {
        "input": rng.standard_normal((count, channels, 7, 5)),
        "weight": rng.standard_normal((filters, depth, 2, 3)),
    }
    return given | ({"bias": 1.0 + rng.standard_normal(filters)} if bias else {})
