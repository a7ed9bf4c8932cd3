"""`vit.move_images`: each image by a number of pixels of its own."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise

EXERCISE = Exercise(
    title="Random shifts as data augmentation",
    section="moved-letters",
    cases=(
        Case("a batch in colour", lambda rng: _given(rng, 5, 3, 5, 7), 2, grad=("images",)),
        Case("down and to the right", lambda rng: _numbered([1, 2], [2, 1])),
        Case("up and to the left", lambda rng: _numbered([-1, -2], [-2, -3])),
        Case("not at all", lambda rng: _numbered([0, 0], [0, 0])),
        Case("out of sight", lambda rng: _numbered([4, -5, 0, 0, 9], [0, 0, 11, -7, -1])),
        Case("masks", lambda rng: _masks(rng)),
        Case("infinite pixels leave", lambda rng: _infinite()),
        Case("in float16", lambda rng: _given(rng, 2, 2, 5, 3), dtype="float16"),
        Case("on another device", lambda rng: _given(rng, 1, 1, 2, 1), probe="elsewhere"),
        Case("a wide image", lambda rng: _given(rng, 7, 1, 2, 11), grad=("images",), hidden=True),
        Case("a batch of one", lambda rng: _given(rng, 1, 2, 5, 3), hidden=True),
    ),
    tolerance=1e-9,
    hint=(
        "Pixel (r, c) of the result comes from (r − down, c − right), where that lies inside the "
        "image. Python takes a negative index for one from the end, and torch.roll wraps around."
    ),
)


def _given(rng, count, channels, height, width):
    return {
        "images": rng.standard_normal((count, channels, height, width)),
        "down": rng.integers(-height + 1, height, count),
        "right": rng.integers(-width + 1, width, count),
    }


def _numbered(down, right):
    images = np.arange(1, 20 * len(down) + 1).reshape(len(down), 1, 4, 5)
    return {"images": images, "down": np.array(down), "right": np.array(right)}


def _masks(rng):
    """Images of bool: what comes in is False."""
    given = _given(rng, 5, 2, 5, 7)
    return given | {"images": given["images"] > -0.5}


def _infinite():
    """At the edges: 0 times infinity is not 0, wherever the frame comes from."""
    images = np.full((3, 1, 3, 5), np.inf)
    images[:, :, 1, 1:4] = 1
    return {"images": images, "down": np.array([-1, 1, 0]), "right": np.array([0, 2, -2])}
