"""`embeddings.sgns_expected_loss`: the loss without the dice."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise
from grader.exercises.embeddings import _counts


def _cells(rng, *, rows=7, columns=5, negatives=3, scale=1.0, whole=False):
    made = _counts(rng, rows=rows, columns=columns)
    noise = rng.random(columns)
    return {
        "counts": made["counts"] if whole else made["counts"].astype(float),
        "products": scale * rng.standard_normal((rows, columns)),
        "noise": noise / noise.sum(),
        "negatives": negatives,
    }


def _fractions(rng):
    """As when a neighbor n positions away counts 1 / n."""
    made = _cells(rng)
    return {**made, "counts": made["counts"] / 3}


EXERCISE = Exercise(
    title="The expected loss of skip-gram",
    section="factorization",
    hint=(
        "A cell of the table occurs as a true pair #(w, c) times, and as noise k · #(w) · q(c) "
        "times in expectation. Weight its two terms by these numbers."
    ),
    cases=(
        Case("a table", _cells, 2, grad=("products",)),
        Case("as many words as contexts", lambda rng: _cells(rng, rows=5), grad=("products",)),
        Case("one noise word", lambda rng: _cells(rng, negatives=1)),
        Case("two and a half noise words", lambda rng: _cells(rng, negatives=2.5)),
        Case(
            "counts that are fractions",
            lambda rng: _fractions(rng),
            grad=("products",),
            corner=True,
        ),
        Case("in float32", lambda rng: _cells(rng, whole=True), dtype="float32"),
        Case("huge products", lambda rng: _cells(rng, scale=1e4), grad=("products",)),
        Case("a wide table", lambda rng: _cells(rng, rows=3), hidden=True),
    ),
)
