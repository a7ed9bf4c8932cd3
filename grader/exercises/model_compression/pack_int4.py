"""`model_compression.pack_int4`: two codes in a byte."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise

EXERCISE = Exercise(
    title="Packing two codes in a byte",
    section="packing",
    cases=(
        Case("a row", lambda rng: {"codes": rng.integers(-8, 8, 10)}, 2),
        Case("a matrix", lambda rng: {"codes": rng.integers(-8, 8, (3, 4))}),
        Case("all positive", lambda rng: {"codes": rng.integers(1, 8, 8)}),
        Case("negative alone", lambda rng: {"codes": rng.integers(-8, 0, 8)}, corner=False),
        Case("a column of pairs", lambda rng: {"codes": rng.integers(-8, 8, (5, 2))}, corner=True),
        Case("an odd row", lambda rng: {"codes": rng.integers(-8, 8, (2, 3))}, raises="ValueError"),
        Case("three axes", lambda rng: {"codes": rng.integers(-8, 8, (2, 1, 6))}, hidden=True),
    ),
    hint="`codes & 15` is the low four bits of a two's complement; `<< 4` moves them up.",
)
