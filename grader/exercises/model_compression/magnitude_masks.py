"""`model_compression.magnitude_masks`: the smallest weights of all go."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.model_compression import few

EXERCISE = Exercise(
    title="Pruning by magnitude",
    section="pruning",
    returns=("mask {1}",),
    cases=(
        Case("two layers", lambda rng: _given(rng, 0.5, (3, 5), (2, 3)), 2),
        Case("three layers of different size", lambda rng: _scales(rng), 2),
        Case("one layer", lambda rng: _given(rng, 0.7, (2, 5))),
        Case(
            "a share that is no whole number",
            lambda rng: _given(rng, 0.6, (3, 3), (2,)),
            corner=True,
        ),
        Case("equal magnitudes", lambda rng: _ties(rng), corner=True),
        Case("nothing, everything", lambda rng: _ends(rng), probe="calls", corner=True),
        Case("a layer of one weight", lambda rng: _given(rng, 0.5, (1, 1), (2, 3)), corner=True),
        Case("in float32", lambda rng: _given(rng, 0.5, (3, 5)), dtype="float32"),
        Case("axes of any number", lambda rng: _given(rng, 0.6, (2, 3, 2), (5,)), hidden=True),
    ),
    hint="Concatenate all magnitudes, sort their places once (stable), and split the mask again.",
    forbidden=("nn.utils.prune",),
)


def _different(rng, count):
    """Numbers of different magnitudes."""
    return rng.permutation(np.arange(1, count + 1)) * rng.choice([-1.0, 1.0], count) / 16


def _given(rng, sparsity, *shapes):
    sizes = [int(np.prod(shape)) for shape in shapes]
    parts = np.split(_different(rng, sum(sizes)), np.cumsum(sizes)[:-1])
    weights = [part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)]
    return {"weights": weights, "sparsity": sparsity}


def _scales(rng):
    """In the first layer nearly all weights are small."""
    given = _given(rng, 0.5, (2, 5), (3, 2), (4,))
    given["weights"][0] = given["weights"][0] / 4 + 1 / 256
    return given


def _ties(rng):
    first, second = rng.choice([-2.0, -1.0, 1.0, 2.0], (3, 5)), rng.choice([-1.0, 1.0], 6)
    return {"weights": [first, second], "sparsity": 0.4}


def _ends(rng):
    calls = [{"weights": [few(rng, 2, 3)], "sparsity": share} for share in (0.0, 1.0, 0.5)]
    calls[-1] = _given(rng, 0.5, (2, 3))
    return {"calls": calls}
