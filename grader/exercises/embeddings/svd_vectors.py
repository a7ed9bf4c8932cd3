"""`embeddings.svd_vectors`: short vectors from a long table."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise


def _matrix(rng, rows=13, columns=11, *, least=0.3, **options):
    """A matrix whose singular values are well apart."""
    size = min(rows, columns)
    left, _ = np.linalg.qr(rng.standard_normal((rows, size)))
    right, _ = np.linalg.qr(rng.standard_normal((columns, size)))
    values = np.geomspace(9, least, size)
    return {"matrix": (left * values) @ right.T, **options}


EXERCISE = Exercise(
    title="Word vectors from a truncated SVD",
    section="svd",
    hint=(
        "`torch.linalg.svd` sorts by falling singular value and returns Vᵀ, which is not needed "
        "here. Then choose the sign of each column so that its entry of largest magnitude is "
        "positive."
    ),
    cases=(
        Case("half of each singular value", lambda rng: _matrix(rng, size=3), 2),
        Case("all of it", lambda rng: _matrix(rng, size=5, power=1.0)),
        Case("none of it", lambda rng: _matrix(rng, size=5, power=0.0)),
        Case("more columns than rows", lambda rng: _matrix(rng, rows=5, size=3)),
        Case("more than there are", lambda rng: _matrix(rng, size=12), raises="ValueError"),
        Case(
            "more than the columns",
            lambda rng: _matrix(rng, rows=11, columns=7, size=8),
            raises="ValueError",
        ),
        Case(
            "more than the rows",
            lambda rng: _matrix(rng, rows=5, columns=7, size=6),
            raises="ValueError",
        ),
        Case("two directions", lambda rng: _matrix(rng, size=2), hidden=True),
        Case("in float32", lambda rng: _matrix(rng, size=3), dtype="float32"),
        Case(
            "nothing cut off",
            lambda rng: _matrix(rng, rows=5, columns=7, size=5, least=0.02),
            corner=True,
        ),
        Case("one direction", lambda rng: _matrix(rng, size=1, power=2.0), corner=True),
    ),
)
