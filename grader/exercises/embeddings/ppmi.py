"""`embeddings.ppmi`: positive PMI."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise
from grader.exercises.embeddings import _counts, _never_seen

EXERCISE = Exercise(
    title="Positive PMI",
    section="pmi",
    hint="Shift first, then set negative values to 0; `clamp` also sets −∞ to 0.",
    needs=("pmi",),
    cases=(
        Case("no shift", _counts),
        Case("five noise words", lambda rng: _counts(rng, rows=11, power=0.75, negatives=5.0), 2),
        Case("rare contexts smoothed", lambda rng: _counts(rng, power=0.4)),
        Case("less than one", lambda rng: _counts(rng, negatives=0.5)),
        Case(
            "less than one, and rare contexts smoothed",
            lambda rng: _counts(rng, power=0.4, negatives=0.5),
            hidden=True,
        ),
        Case(
            "counts that are fractions",
            lambda rng: {"counts": _counts(rng)["counts"] * 0.5, "negatives": 2.0},
            corner=True,
        ),
        Case(
            "counts in half precision",
            lambda rng: {"counts": _counts(rng, rows=3, scale=5e4)["counts"].astype(float)},
            dtype="float16",
        ),
        Case(
            "a word never seen",
            lambda rng: {**_never_seen(rng), "negatives": 2.0},
            corner=True,
        ),
        Case("one word", lambda rng: _counts(rng, rows=1, negatives=0.5), corner=True),
    ),
)
