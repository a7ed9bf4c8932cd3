"""`tokenization.decode`: tokens back to text."""

from __future__ import annotations

from grader.author.afresh import letters
from grader.author.exercise import Case, Exercise

EXERCISE = Exercise(
    title="Decoding",
    section="encoding",
    cases=(
        Case("words", lambda rng: _given(b"the", b" cat", b" s", b"at"), 2),
        Case("a character in two tokens", lambda rng: _given(b"caf", b"\xc3", b"\xa9", b"!")),
        Case("one of four bytes", lambda rng: _given(b"\xf0\x9f", b"\x99", b"\x82", b" ok")),
        Case("cut in the middle", lambda rng: _given(b"caf", b"\xc3")),
        Case("no UTF-8", lambda rng: _given(b"a", b"\xff", b"\xfe", b"b"), corner=True),
        Case("no tokens", lambda rng: _given()),
        Case("line feeds and spaces", lambda rng: _given(b"\n\n", b"  ", b" x", b"\t")),
        Case(
            "characters that do not show",
            lambda rng: _given(b"\xef\xbb\xbf", b"a\r", b"\n\0", b"e\xcc\x81", b"\xc2\xa0\0"),
        ),
        Case(
            "out of order", lambda rng: _given(b"one", b" two", b" three") | {"tokens": [2, 0, 2]}
        ),
        Case("numbers that are no bytes", lambda rng: _many(), corner=True),
        Case(
            "scripts", lambda rng: _given(*(bytes([b]) for b in "日本 καλό".encode())), hidden=True
        ),
    ),
    hint="First all bytes, then text: `bytes.decode` has an argument for what it cannot read.",
    afresh=letters,
)


def _many():
    """A vocabulary of 300, and tokens on both sides of 256."""
    vocabulary = [f"{number} ".encode() for number in range(300)]
    return {"tokens": [299, 43, 255, 256, 0], "vocabulary": vocabulary}


def _given(*tokens):
    return {"tokens": [*range(len(tokens))], "vocabulary": list(tokens)}
