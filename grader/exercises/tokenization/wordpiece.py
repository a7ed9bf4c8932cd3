"""`tokenization.wordpiece`: the longest part that fits."""

from __future__ import annotations

from grader.author.afresh import letters
from grader.author.exercise import Case, Exercise

KNOWN = [
    "un",
    "unaff",
    "##aff",
    "##able",
    "##ab",
    "##le",
    "a",
    "##a",
    "##ff",
    "play",
    "##ing",
    "##s",
]

EXERCISE = Exercise(
    title="WordPiece",
    section="wordpiece",
    cases=(
        Case("two parts", lambda rng: _given("playing"), 2),
        Case("the longest of several", lambda rng: _given("unaffable")),
        Case("a whole word", lambda rng: _given("play")),
        Case("a part that cannot begin", lambda rng: _given("ings")),
        Case(
            "a part that cannot go on",
            lambda rng: _each("playun", "playable"),
            probe="calls",
            corner=False,
        ),
        Case("stuck at the end", lambda rng: _each("playx", "plays"), probe="calls", corner=False),
        Case("the longest leads astray", lambda rng: _given("abc", ["ab", "a", "##bc"])),
        Case(
            "long parts at both ends",
            lambda rng: _given("abcd", ["a", "ab", "##bcd", "##cd", "##d"]),
        ),
        Case(
            "fewer parts would do",
            lambda rng: _given("abcd", ["a", "ab", "##bcd", "##c", "##d"]),
        ),
        Case(
            "a long part at the end",
            lambda rng: _given("abcd", ["ab", "##bcd", "##cd"]),
        ),
        Case(
            "a part of 83 letters",
            lambda rng: _given("a" * 96, ["a" * 83, "a" * 7, "##" + "a" * 13]),
            corner=True,
        ),
        Case("one letter", lambda rng: _given("a"), corner=True),
        Case("a capital", lambda rng: _each("Playing", "unaffable"), probe="calls", corner=False),
        Case(
            "a capital in the vocabulary",
            lambda rng: _given("Playing", ["Play", *KNOWN]),
            corner=True,
        ),
        Case(
            "a word of 121 letters",
            lambda rng: _given("a" * 121, ["a" * 40, "##" + "a" * 27]),
            corner=True,
        ),
        Case(
            "500 letters, a part each",
            lambda rng: {"calls": [_given("a" * 500, ["a", "##a"])]},
            probe="calls",
        ),
        Case("hash marks", lambda rng: _given("c##", ["c", "##", "###", "####"]), corner=True),
        Case("no letter", lambda rng: _given("")),
        Case("parts that repeat", lambda rng: _given("aaaa")),
        Case(
            "other letters",
            lambda rng: _given("größer", ["groß", "grö", "##ß", "##ßer", "##er"]),
            corner=True,
        ),
        Case("many parts", lambda rng: _given("unableplays", [*KNOWN, "##play"]), hidden=True),
    ),
    hint=(
        "From each place try the longest end first. Every part but the first is looked up with ##."
    ),
    afresh=letters,
)


def _given(word, vocabulary=KNOWN):
    return {"word": word, "vocabulary": list(vocabulary)}


def _each(*words):
    """One that no parts make, one that some do, and one where there are no parts."""
    return {"calls": [*map(_given, words), _given("on", [])]}
