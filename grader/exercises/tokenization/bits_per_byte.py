"""`tokenization.bits_per_byte`: a loss that does not depend on the tokens."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise

EXERCISE = Exercise(
    title="Bits per byte",
    section="bits-per-byte",
    cases=(
        Case("five tokens", lambda rng: _given(rng, 5, "hello world"), 2, grad=("losses",)),
        Case("letters of several bytes", lambda rng: _given(rng, 7, "naïve 日本 🙂")),
        Case("spaces at both ends", lambda rng: _given(rng, 3, "  two words \r\n")),
        Case("one token", lambda rng: _given(rng, 1, "x"), corner=True),
        Case("more tokens than letters", lambda rng: _given(rng, 13, "日本")),
        Case("in float32", lambda rng: _given(rng, 11, "a longer text"), dtype="float32"),
        Case("in capitals", lambda rng: _given(rng, 3, "ÄÖÜ ẞ"), hidden=True, grad=("losses",)),
    ),
    tolerance=1e-9,
    hint="How many bits is one nat? And `len(text)` counts characters.",
)


def _given(rng, tokens, text):
    return {"losses": rng.gamma(2.0, 1.5, tokens), "text": text}
