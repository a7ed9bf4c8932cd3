"""`embeddings.glove_loss`: products that should be logarithms of counts."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.embeddings import _counts

EXERCISE = Exercise(
    title="The loss of GloVe",
    section="successors",
    hint=(
        "ln 0 is −∞, and 0 · ∞ is NaN: a weight of 0 does not remove a cell. Select the "
        "distances with `torch.where`, or sum over the cells that were seen."
    ),
    cases=(
        Case("a table of counts", lambda rng: _cells(rng), 2, grad=("products",)),
        Case("beyond the limit", lambda rng: _cells(rng, limit=3.0), 2, grad=("products",)),
        Case("another power", lambda rng: _cells(rng, power=0.3, limit=20.0), grad=("products",)),
        Case("all weights alike", lambda rng: _cells(rng, power=0.0), grad=("products",)),
        Case("exactly at the limit", lambda rng: _at_the_limit(rng)),
        Case("counts that are not whole", lambda rng: _parts(rng), grad=("products",), corner=True),
        Case("one cell", lambda rng: _cells(rng, rows=1, columns=1), corner=True),
        Case(
            "large counts", lambda rng: _cells(rng, scale=5000.0), grad=("products",), corner=True
        ),
        Case("nothing seen", lambda rng: _unseen(rng), grad=("products",), corner=True),
        Case(
            "infinite products of unseen pairs",
            lambda rng: _infinite(rng),
            grad=("products",),
            corner=True,
        ),
        Case("float32", lambda rng: _cells(rng), dtype="float32"),
        Case("a wide table", lambda rng: _cells(rng, rows=3, columns=13), hidden=True),
        Case("tiny counts", lambda rng: _tiny(rng), grad=("products",), corner=True),
    ),
)


def _cells(rng, *, rows=7, columns=5, scale=4.0, **options):
    drawn = (
        _counts(rng, rows=rows, columns=columns, scale=scale)
        if rows > 2
        else {"counts": rng.integers(1, 9, size=(rows, columns))}
    )
    return {"products": rng.standard_normal((rows, columns)), **drawn, **options}


def _at_the_limit(rng):
    made = _cells(rng, limit=4.0, power=2.0)
    made["counts"][0, :3] = [3, 4, 5]
    return made


def _parts(rng):
    """As when a neighbor n positions away counts 1 / n."""
    made = _cells(rng)
    return {**made, "counts": made["counts"] / 3}


def _unseen(rng):
    made = _cells(rng)
    return {**made, "counts": 0 * made["counts"]}


def _infinite(rng):
    """Where nothing was seen ln 0 = −∞ would be exact, and +∞ no worse."""
    made = _cells(rng)
    unseen = made["counts"] == 0
    made["products"][unseen] *= np.inf
    return made


def _tiny(rng):
    """Small beside the limit, all of them."""
    made = _cells(rng)
    return {**made, "counts": 1e-9 * made["counts"]}
