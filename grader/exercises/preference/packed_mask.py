"""`preference.packed_mask`: short texts in one row."""

from __future__ import annotations

import numpy as np

from grader.author.afresh import changed
from grader.author.exercise import Case, Exercise


def _longer(rng, documents):
    """A few tokens more, of texts that are there and of another."""
    more = int(rng.integers(2, 7))
    kinds = [np.append(row, 7_919) for row in documents]
    return {
        "documents": np.stack(
            [[*row, *rng.choice(kind, more)] for row, kind in zip(documents, kinds, strict=True)]
        )
    }


EXERCISE = Exercise(
    title="The mask of packed sequences",
    section="packed-rows",
    cases=(
        Case("three texts", lambda rng: _given([3, 2, 2]), 2),
        Case("two rows", lambda rng: _given([3, 2, 2], [1, 5, 1]), 2),
        Case("one text", lambda rng: _given([5])),
        Case("every token its own", lambda rng: _given([1, 1, 1])),
        Case("numbers out of order", lambda rng: _given([2, 3, 2], numbers=(5, 1, 3)), 2),
        Case("the same numbers in both rows", lambda rng: _given([4, 3], [3, 4], [7])),
        Case("negative numbers", lambda rng: _given([2, 3], [4, 1], numbers=(-1, 0))),
        Case(
            "large numbers",
            lambda rng: _given([2, 3, 2, 1], numbers=(3, 1_000_003, 2**40 + 3, 2**40 + 4)),
            corner=True,
        ),
        Case("on another device", lambda rng: _given([2, 1]), probe="elsewhere"),
        Case("one row of one", lambda rng: _given([1]), corner=True),
        Case("four texts", lambda rng: _given([2, 3, 1, 5], [3, 3, 3, 2]), hidden=True),
    ),
    hint="Two conditions: the key is no later than the query, and belongs to the same text.",
    afresh=changed(_longer),
)


def _given(*rows, numbers=(0, 1, 2, 3)):
    return {"documents": np.array([np.repeat(numbers[: len(row)], row) for row in rows])}
