"""`refresher.squared_distances`: every row against every row."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise

EXERCISE = Exercise(
    title="Distances by broadcasting",
    section="broadcasting",
    tolerance=1e-9,
    cases=(
        Case("five against three", lambda rng: _rows(rng, 5, 3), 2, grad=("x", "y")),
        Case("as many of both", lambda rng: _rows(rng, 7, 7), grad=("x",)),
        Case("as many as features", lambda rng: _rows(rng, 11, 2)),
        Case("one row each", lambda rng: _rows(rng, 1, 1), corner=True),
        Case("one feature", lambda rng: _rows(rng, 3, 5, features=1), corner=True),
        Case("far from 0, close together", lambda rng: _rows(rng, 5, 3, center=1e6), corner=True),
        Case("float32", lambda rng: _rows(rng, 3, 5), dtype="float32"),
        Case("two against thirteen", lambda rng: _rows(rng, 2, 13), hidden=True),
    ),
    hint=(
        "Give x an axis of size 1 where y has its rows, `x[:, None]`. Then the difference is "
        "(A, B, D)."
    ),
    forbidden=("torch.cdist", "F.pairwise_distance", "F.mse_loss"),
)


def _rows(rng, some, others, *, features=11, center=0.0):
    return {
        "x": center + rng.standard_normal((some, features)),
        "y": center + rng.standard_normal((others, features)),
    }
