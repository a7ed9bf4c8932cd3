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
        Case("one feature far from 0", lambda rng: _far(rng), corner=True),
        Case("rows that nearly agree", lambda rng: _close(rng), corner=True),
        Case("float32", lambda rng: _rows(rng, 3, 5), dtype="float32"),
        Case("two against thirteen", lambda rng: _rows(rng, 2, 13), hidden=True),
    ),
    hint=(
        "Give x an axis of size 1 where y has its rows, `x[:, None]`. Then the difference is "
        "(A, B, D)."
    ),
    forbidden=("torch.cdist", "F.pairwise_distance", "F.mse_loss"),
)


def _rows(rng, some, others, *, features=11):
    return {
        "x": rng.standard_normal((some, features)),
        "y": rng.standard_normal((others, features)),
    }


def _far(rng):
    """A feature whose square is no number any more, and the same in all rows but one of each: no
    center is near to all.
    """
    drawn = _rows(rng, 5, 3)
    for rows in drawn.values():
        rows[:, 2] = 1e200
        rows[-1, 2] = -1e200
    return drawn


def _close(rng):
    """Distances that are below whatever is put in their place to be safe."""
    return {name: 1e-7 * rows for name, rows in _rows(rng, 3, 5).items()}
