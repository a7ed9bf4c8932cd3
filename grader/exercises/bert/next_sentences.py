"""`bert.next_sentences`: what comes next, or something from elsewhere."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise

EXERCISE = Exercise(
    title="Pairs for next-sentence prediction",
    section="next-sentence",
    cases=(
        Case("some documents", lambda rng: _given(rng, [5, 3, 1, 4, 2], 23), 3),
        Case("two documents", lambda rng: _given(rng, [3, 4], 17), 2),
        Case("the true one alone", lambda rng: _given(rng, [5, 3, 4], 11, low=0.0, high=0.5)),
        Case("others alone", lambda rng: _given(rng, [5, 3, 4], 29, low=0.5, high=1.0), 2),
        Case("just at one half", lambda rng: _edge(rng), corner=True),
        Case("draws at the ends", lambda rng: _ends(rng), corner=True),
        Case("one pair", lambda rng: _given(rng, [2, 1, 3], 1), corner=True),
        Case("documents with other numbers", lambda rng: _numbered(rng)),
        Case("no pair", lambda rng: _given(rng, [2, 3], 0)),
        Case("nothing follows", lambda rng: _last(rng), raises="ValueError"),
        Case("the end of the text", lambda rng: _last(rng, end=True), raises="ValueError"),
        Case("one document", lambda rng: _given(rng, [5], 3), raises="ValueError"),
        Case(
            "one document, of a larger number",
            lambda rng: _given(rng, [5], 3) | {"document": np.full(5, 3)},
            raises="ValueError",
        ),
        Case(
            "nothing follows, and another is due",
            lambda rng: _last(rng, low=0.5),
            raises="ValueError",
        ),
        Case(
            "one document, and the next is due",
            lambda rng: _given(rng, [5], 3, high=0.5),
            raises="ValueError",
        ),
        Case("in float32", lambda rng: _given(rng, [5, 3, 4], 17), dtype="float32"),
        Case("many documents", lambda rng: _given(rng, [7, 2, 5, 1, 1, 8, 3], 61), hidden=True),
    ),
    hint=(
        "Let k count the sentences of other documents. Those before the document keep their "
        "numbers; those after it are shifted by the number of sentences in the document."
    ),
    returns=("the second sentences", "the labels"),
)


def _given(rng, sizes, count, *, low=0.0, high=1.0):
    document = np.repeat(np.arange(len(sizes)), sizes)
    able = np.flatnonzero(document[:-1] == document[1:])
    return {
        "document": document,
        "first": rng.choice(able, count),
        "chance": rng.uniform(low, high, count),
        "other": rng.random(count),
    }


def _edge(rng):
    given = _given(rng, [5, 3, 4], 12)
    return given | {"chance": np.where(given["chance"] < 0.5, 0.5, 0.25)}


def _ends(rng):
    """0, and right below the first draw of each sentence and below 1."""
    given = _given(rng, [4, 3, 5], 18, low=0.5)
    sentences = 12 - np.array([4, 3, 5])[given["document"][given["first"]]]
    place = np.ceil(given["other"] * sentences)
    return given | {"other": np.where(given["other"] < 0.25, 0.0, (place - 1e-9) / sentences)}


def _numbered(rng):
    given = _given(rng, [4, 3, 5, 2], 19)
    return given | {"document": np.array([7, 3, 11, 4])[given["document"]]}


def _last(rng, *, end=False, low=0.0):
    given = _given(rng, [4, 3, 5], 7, low=low)
    given["first"][2] = 11 if end else 6
    return given
