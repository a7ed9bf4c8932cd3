"""`tokenization.split_special`: what no merge may touch."""

from __future__ import annotations

from grader.author.afresh import letters
from grader.author.exercise import Case, Exercise

END = "<|endoftext|>"

EXERCISE = Exercise(
    title="Special tokens",
    section="special-tokens",
    cases=(
        Case("one in the middle", lambda rng: _given(f"one{END}two", END), 2),
        Case("at both ends", lambda rng: _given(f"{END}one{END}", END)),
        Case("side by side", lambda rng: _given(f"a{END}{END}b", END)),
        Case("none in the text", lambda rng: _given("none <| here |>", END)),
        Case("none at all", lambda rng: _given("plain text")),
        Case("several", lambda rng: _given("[CLS] a [SEP] c [Sep]", "[CLS]", "[SEP]", "[Sep]")),
        Case("one begins another", lambda rng: _given("x<end>y<end>>z", "<end>", "<end>>")),
        Case(
            "one begins another, the longer given first",
            lambda rng: _given("x<end>y<end>>z", "<end>>", "<end>"),
            hidden=True,
        ),
        Case("marks of regular expressions", lambda rng: _given("abc a.c a|b", "a.c", "a|b")),
        Case("capitals", lambda rng: _given(f"a{END.upper()}b{END}c", END)),
        Case(
            "the first to begin, not the longest",
            lambda rng: _given("xabcdy", "ab", "bcd"),
            corner=True,
        ),
        Case("no text", lambda rng: _given("", END)),
        Case("no text and no specials", lambda rng: _given("")),
        Case("spaces stay", lambda rng: _given(f" one \r\n{END}\u00a0two\n", END)),
        Case("three that overlap", lambda rng: _given("<<a>><a><<a>", "<a>", "<<a>>"), hidden=True),
    ),
    hint=(
        "`re.split` keeps what a group in its pattern matches. `re.escape` takes the meaning from "
        "marks such as |, and the first alternative that fits wins: longest first."
    ),
    afresh=letters,
)


def _given(text, *specials):
    return {"text": text, "specials": list(specials)}
