"""`seq2seq.brevity_penalty`: what a short translation loses."""

from __future__ import annotations

from grader.author.afresh import changed
from grader.author.exercise import Case, Exercise


def _pair(length, reference_length):
    return {"length": length, "reference_length": reference_length}


def _longer(rng, length, reference_length):
    """A few words more on both sides, where there are any."""
    more = int(rng.integers(1, 40))
    return {
        "length": length and length + more,
        "reference_length": reference_length and reference_length + more,
    }


EXERCISE = Exercise(
    title="The brevity penalty",
    section="brevity",
    cases=(
        Case("shorter", lambda rng: _pair(7, 11)),
        Case("as long", lambda rng: _pair(13, 13)),
        Case("longer", lambda rng: _pair(17, 11)),
        Case("half as long", lambda rng: _pair(int(rng.integers(20, 40)), 61), hidden=True),
        Case("one word short", lambda rng: _pair(12, 13), corner=True),
        Case("one word of many", lambda rng: _pair(1, 29), corner=True),
        Case("no words", lambda rng: _pair(0, 5), corner=True),
        Case("nothing to say, and nothing said", lambda rng: _pair(0, 0), corner=True),
        Case("drawn", lambda rng: _pair(int(rng.integers(1, 50)), int(rng.integers(50, 99)))),
        Case("of a corpus", lambda rng: _pair(int(rng.integers(500, 900)), 997), hidden=True),
    ),
    hint="Two cases, and a third where one would divide by zero.",
    afresh=changed(_longer),
)
