"""`bert.word_vectors`: one vector for each word."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise

EXERCISE = Exercise(
    title="Word vectors from subword vectors",
    section="bert-probe",
    cases=(
        Case(
            "a batch", lambda rng: _given(rng, [[1, 3, 2], [2, 1, 1, 4]], 11), 3, grad=("hidden",)
        ),
        Case("one token per word", lambda rng: _given(rng, [[1] * 5], 7), grad=("hidden",)),
        Case("one word", lambda rng: _given(rng, [[4]], 8), grad=("hidden",), corner=True),
        Case("one row without an axis", lambda rng: _single(rng), grad=("hidden",), corner=True),
        Case("words in another order, and more axes", lambda rng: _mixed(rng), grad=("hidden",)),
        Case(
            "a row without words",
            lambda rng: _given(rng, [[2, 1], []], 7),
            grad=("hidden",),
            corner=True,
        ),
        Case("in float32", lambda rng: _given(rng, [[1, 3, 2], [2]], 11), dtype="float32"),
        Case("no word", lambda rng: _given(rng, [[]], 5), corner=True),
        Case(
            "long words",
            lambda rng: _given(rng, [[7, 5, 1], [11, 2], [1, 1, 9]], 17),
            grad=("hidden",),
            hidden=True,
        ),
    ),
    tolerance=1e-8,
    hint="Add up what belongs to each word (`index_add`), count its tokens (`bincount`), divide.",
)


def _given(rng, sizes, longest):
    words, count = np.full((len(sizes), longest), -1), 0
    for row, of in zip(words, sizes, strict=True):
        at = 1
        for size in of:
            row[at : at + size] = count
            at, count = at + size, count + 1
    hidden = rng.standard_normal((*words.shape, 3)) + 1.0
    return {"hidden": hidden, "words": words, "count": count}


def _single(rng):
    given = _given(rng, [[1, 3, 2]], 11)
    return given | {"hidden": given["hidden"][0], "words": given["words"][0]}


def _mixed(rng):
    given = _given(rng, [[1, 3, 2], [2, 1, 1, 4]], 11)
    order = np.array([*rng.permutation(given["count"]), -1])  # −1 stays −1
    return given | {"hidden": given["hidden"][:, None], "words": order[given["words"]][:, None]}
