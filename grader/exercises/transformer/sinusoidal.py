"""`transformer.sinusoidal`: positions as waves."""

from __future__ import annotations

from grader.author.afresh import changed
from grader.author.exercise import Case, Exercise


def _other(rng, length, features, **base):
    """More positions, and more features where there are some pairs of them."""
    return {
        "length": length and length + int(rng.integers(1, 9)),
        "features": features + 2 * int(rng.integers(1, 5)) * (features > 2),
        **{name: value * (1 + rng.random()) for name, value in base.items()},
    }


EXERCISE = Exercise(
    title="Sinusoidal positional encoding",
    section="sinusoidal",
    cases=(
        Case(
            "a table", lambda rng: {"length": 7, "features": 6}, 2, probe="defaults", corner=False
        ),
        Case(
            "many positions",
            lambda rng: {"length": 101, "features": 8},
            probe="defaults",
            corner=False,
        ),
        Case(
            "more features",
            lambda rng: {"length": 5, "features": 34},
            probe="defaults",
            corner=False,
        ),
        Case(
            "an odd number of features", lambda rng: {"length": 5, "features": 7}, probe="defaults"
        ),
        Case(
            "another base",
            lambda rng: {"length": 7, "features": 6, "base": 100.0},
            probe="defaults",
            corner=False,
        ),
        Case("in float32", lambda rng: {"length": 3, "features": 6}, dtype="float32"),
        Case("one feature", lambda rng: {"length": 5, "features": 1}, probe="defaults"),
        Case("no positions", lambda rng: {"length": 0, "features": 6}, probe="defaults"),
        Case(
            "two features", lambda rng: {"length": 13, "features": 2}, probe="defaults", hidden=True
        ),
    ),
    hint=(
        "Each pair of columns has one rate. Positions as a column times rates as a row give all "
        "angles; stack sines and cosines on a new last axis and flatten it to interleave them."
    ),
    afresh=changed(_other),
)
