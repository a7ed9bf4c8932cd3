"""`contrastive.restore_patches`: visible patches, back in their places."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.contrastive import few

EXERCISE = Exercise(
    title="Patches back in their places",
    section="masked-autoencoder",
    tolerance=1e-9,
    cases=(
        Case("two of five", lambda rng: _given(rng, 3, 5, 2, 2), 2, grad=("visible", "token")),
        Case("three of seven", lambda rng: _given(rng, 2, 7, 3, 3), 2),
        Case("as many features as patches", lambda rng: _given(rng, 3, 3, 2, 3)),
        Case("all visible", lambda rng: _given(rng, 2, 5, 5, 2), corner=True),
        Case("one visible", lambda rng: _given(rng, 2, 5, 1, 3), corner=True),
        Case("one image", lambda rng: _given(rng, 1, 7, 3, 2), corner=True),
        Case("in float32", lambda rng: _given(rng, 2, 5, 2, 2), dtype="float32"),
        Case("five of eleven", lambda rng: _given(rng, 2, 11, 5, 2), hidden=True),
    ),
    hint="The inverse of a permutation is its `argsort`; then `gather` along the patches.",
)


def _given(rng, count, patches, kept, width):
    order = np.stack([_turning(rng, patches) for _ in range(count)])
    return {"visible": few(rng, count, kept, width), "order": order, "token": few(rng, width)}


def _turning(rng, length):
    """A permutation that is not its own inverse."""
    while True:
        order = rng.permutation(length)
        if (order[order] != np.arange(length)).any():
            return order
