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
        Case("two heaps", lambda rng: _heaps(rng), grad=("x",), corner=True),
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
    """A feature whose square is no number any more, and which is the same in all rows."""
    drawn = _rows(rng, 5, 3)
    for rows in drawn.values():
        rows[:, 2] = 1e200
    return drawn


def _heaps(rng):
    """No one center is near all rows; and a row of x is a row of y."""
    drawn = _rows(rng, 3, 2, features=2)
    drawn["x"][0] = drawn["y"][0]
    for rows in drawn.values():
        rows[1] += 1e8
    return drawn
