"""`embeddings.info_nce`: find the partner among those of the batch."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.embeddings import B, D

BOTH = ("first", "second")

EXERCISE = Exercise(
    title="InfoNCE: find the partner in the batch",
    section="pretext",
    hint=(
        "Cosines of all rows with all rows, divided by τ, are scores of a softmax regression. "
        "Which class is right for row i?"
    ),
    forbidden=(
        "F.cross_entropy",
        "nn.CrossEntropyLoss",
        "F.nll_loss",
        "F.cosine_similarity",
        "F.normalize",
    ),
    cases=(
        Case("a batch", lambda rng: _pairs(rng), 2, grad=BOTH),
        Case("lengths that differ", lambda rng: _pairs(rng, uneven=True), 2, grad=BOTH),
        Case("another temperature", lambda rng: {**_pairs(rng), "temperature": 0.7}, grad=BOTH),
        Case("very cold", lambda rng: {**_pairs(rng), "temperature": 1e-4}, grad=BOTH, corner=True),
        Case("as many rows as numbers", lambda rng: _pairs(rng, batch=D)),
        Case("one pair", lambda rng: _pairs(rng, batch=1), grad=BOTH, corner=True),
        Case("two equal rows", lambda rng: _twins(rng), grad=BOTH, corner=True),
        Case("float32", lambda rng: _pairs(rng), dtype="float32"),
        Case(
            "a partner too many",
            lambda rng: {**_pairs(rng, batch=2), "second": rng.standard_normal((3, D))},
            raises="ValueError",
        ),
        Case(
            "a partner too few",
            lambda rng: {**_pairs(rng, batch=3), "second": rng.standard_normal((2, D))},
            raises="ValueError",
        ),
        Case(
            "partners of another size",
            lambda rng: {**_pairs(rng, batch=2), "second": rng.standard_normal((2, D + 2))},
            raises="ValueError",
        ),
        Case("a larger batch", lambda rng: _pairs(rng, batch=37), hidden=True, corner=True),
        Case("tiny rows", lambda rng: _tiny(rng), corner=True),
    ),
)


def _pairs(rng, *, batch=B, uneven=False):
    first = rng.standard_normal((batch, D))
    second = first + rng.standard_normal((batch, D))
    if uneven:
        first *= np.geomspace(0.1, 10, batch)[:, None]
        second *= np.geomspace(30, 0.01, batch)[:, None]
    return {"first": first, "second": second}


def _twins(rng):
    made = _pairs(rng)
    made["second"][3] = made["second"][7]
    return made


def _tiny(rng):
    """Lengths beside which an eps is large; cosines do not see them."""
    made = _pairs(rng)
    return {**made, "first": 1e-9 * made["first"], "second": 1e-8 * made["second"]}
