"""`bert.truncate_pair`: two texts that must fit into one row."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise
from grader.exercises.bert import tuples

EXERCISE = Exercise(
    title="Truncating a pair of texts",
    section="bert-rows",
    cases=(
        Case("the first is longer", lambda rng: _given(rng, 11, 3, 8), 2),
        Case("the second is longer", lambda rng: _given(rng, 3, 11, 8), 2),
        Case("both have to give", lambda rng: tuples(_given(rng, 13, 9, 7))),
        Case("an even room", lambda rng: _given(rng, 9, 13, 6)),
        Case("equally long", lambda rng: _given(rng, 5, 5, 9), corner=True),
        Case("all of it fits", lambda rng: _given(rng, 5, 4, 9)),
        Case("more room than needed", lambda rng: tuples(_given(rng, 2, 3, 50))),
        Case("one is empty", lambda rng: _given(rng, 0, 6, 4)),
        Case("no room", lambda rng: _given(rng, 3, 2, 0), corner=True),
        Case("both short, little room", lambda rng: _given(rng, 2, 4, 1)),
        Case("an odd room", lambda rng: _given(rng, 31, 17, 15), hidden=True),
        Case("nothing at all", lambda rng: _given(rng, 0, 0, 3), hidden=True),
    ),
    hint=(
        "While there are too many tokens, remove one from the end of the text that is longer at "
        "that point."
    ),
    returns=("the first text", "the second text"),
)


def _given(rng, first, second, room):
    return {
        "first": rng.integers(0, 1000, first).tolist(),
        "second": rng.integers(0, 1000, second).tolist(),
        "room": room,
    }
