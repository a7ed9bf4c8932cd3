"""`embeddings.noise_distribution`: where noise comes from."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise
from grader.exercises.embeddings import _frequencies, _one_missing

EXERCISE = Exercise(
    title="The noise distribution of negative sampling",
    section="negative-sampling",
    hint="Take the power first, then divide by the sum.",
    cases=(
        Case("counts of words", _frequencies),
        Case("as the text has them", lambda rng: _frequencies(rng, power=1.0)),
        Case("all alike", lambda rng: _frequencies(rng, power=0.0)),
        Case("a word that does not occur", _one_missing),
        Case(
            "all alike, with a word that does not occur",
            lambda rng: _one_missing(rng, power=0.0, words=13),
            corner=True,
        ),
        Case(
            "counts that are fractions",
            lambda rng: {"counts": 2.0**-17 * _frequencies(rng)["counts"]},
            corner=True,
        ),
        Case(
            "counts in float32",
            lambda rng: {"counts": 0.5 * _frequencies(rng)["counts"]},
            dtype="float32",
        ),
        Case(
            "powers beyond float32",
            lambda rng: {"counts": 10**8 * rng.integers(1, 9, 5), "power": 5.0},
            corner=True,
        ),
        Case(
            "large counts",
            lambda rng: {"counts": 10**8 * rng.integers(1, 9, 5)},
            hidden=True,
            corner=True,
        ),
        Case("one word", lambda rng: _frequencies(rng, words=1), corner=True),
        Case("counts beyond float32", lambda rng: _vast(rng), corner=True),
    ),
)


def _vast(rng):
    return {"counts": 1e39 * rng.integers(1, 9, 5)}
