"""`transfer.text_infilling`: BART's noise."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise
from grader.exercises.transfer import text, tuples

EXERCISE = Exercise(
    title="Text infilling",
    section="infilling",
    cases=(
        Case("two spans", lambda rng: _given(rng, 11, [2, 8], [3, 1]), 2),
        Case("an empty one", lambda rng: _given(rng, 11, [2, 6, 8], [3, 0, 1]), 2),
        Case("spans that touch", lambda rng: _given(rng, 17, [3, 5, 11], [2, 4, 1])),
        Case(
            "empty at both ends",
            lambda rng: _given(rng, 5, [0, 0, 5, 5], [0, 0, 0, 0]),
            corner=True,
        ),
        Case("empty, at the beginning alone", lambda rng: _given(rng, 5, [0], [0]), corner=True),
        Case("empty, in one place", lambda rng: _given(rng, 7, [3, 3, 3], [0, 0, 2]), corner=True),
        Case("empty, and then the rest", lambda rng: _given(rng, 7, [2, 2], [0, 5]), corner=True),
        Case("the whole text", lambda rng: _given(rng, 7, [0], [7])),
        Case("no spans", lambda rng: _given(rng, 5, [], [])),
        Case("no tokens", lambda rng: _nothing(rng), corner=True),
        Case("one token", lambda rng: _given(rng, 1, [0], [1]), corner=True),
        Case("a mask in the text", lambda rng: _masked(rng), corner=True),
        Case("another mask", lambda rng: tuples(_given(rng, 13, [1, 6], [2, 3], mask=3))),
        Case(
            "many spans",
            lambda rng: _given(rng, 47, [0, 4, 9, 20, 22, 30], [0, 3, 2, 2, 7, 13]),
            hidden=True,
        ),
    ),
    hint="As with sentinels; but each span counts, also an empty one and one that touches.",
)


def _given(rng, length, starts, lengths, mask=97):
    return {"tokens": text(rng, length), "starts": starts, "lengths": lengths, "mask": mask}


def _nothing(rng):
    given = _given(rng, 1, [], [])
    return given | {"tokens": given["tokens"][:0]}


def _masked(rng):
    """The text has the mask itself, right before a span: that one gets its mask, too."""
    given = _given(rng, 7, [3, 5], [1, 1])
    given["tokens"][2] = given["mask"]
    return given
