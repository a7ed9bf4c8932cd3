"""`embeddings.skip_gram_pairs`: every word with its neighbors."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise
from grader.exercises.embeddings import V

EXERCISE = Exercise(
    title="Skip-gram pairs: every word with its neighbors",
    section="counting-neighbors",
    hint=(
        "Two nested loops over positions are enough. Without loops: position plus offset is a "
        "(T, 2 window) table of neighbors; keep those inside the sentence."
    ),
    cases=(
        Case("a sentence", lambda rng: {"sentence": rng.integers(V, size=7), "window": 2}, 2),
        Case("words that repeat", lambda rng: {"sentence": rng.integers(2, size=11), "window": 3}),
        Case("window of one", lambda rng: {"sentence": rng.integers(V, size=5), "window": 1}),
        Case("window past both ends", lambda rng: {"sentence": rng.permutation(5), "window": 7}),
        Case("no word", lambda rng: {"sentence": rng.integers(V, size=0), "window": 2}),
        Case(
            "no window", lambda rng: {"sentence": rng.integers(V, size=5), "window": 0}, corner=True
        ),
        Case(
            "one word", lambda rng: {"sentence": rng.integers(V, size=1), "window": 2}, corner=True
        ),
        Case(
            "on another device",
            lambda rng: {"sentence": rng.integers(V, size=3), "window": 1},
            probe="elsewhere",
        ),
        Case(
            "a longer one",
            lambda rng: {"sentence": rng.integers(V, size=23), "window": 5},
            hidden=True,
        ),
    ),
)
