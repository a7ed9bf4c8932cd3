"""`test_time_compute.select_beams`: keep the best partial answers, each once."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise

EXERCISE = Exercise(
    title="Select beams",
    section="search-over-steps",
    returns=("the candidates", "their scores"),
    cases=(
        Case("three of five", lambda rng: _given(rng, 2, 5, 3), 2),
        Case("repeated candidates", lambda rng: _repeated(rng, 7), 2),
        Case("the same candidates for both prompts", lambda rng: _alike(rng)),
        Case("one beam", lambda rng: _given(rng, 3, 5, 1)),
        Case("equal scores: the earlier first", lambda rng: _tied(rng), corner=True),
        Case("fewer differ than are kept", lambda rng: _few_differ(), corner=True),
        Case("all are kept", lambda rng: _given(rng, 2, 3, 3)),
        Case("one prompt, scores below zero", lambda rng: _below(rng)),
        Case("in float32", lambda rng: _given(rng, 2, 5, 2), dtype="float32"),
        Case("two of seven", lambda rng: _repeated(rng, 5), hidden=True),
    ),
    hint=(
        "Compare all candidates of a prompt with one another; `tril(diagonal=-1)` leaves the "
        "comparisons with earlier ones. Then a stable `argsort`, and `gather`."
    ),
)


def _scores(rng, rows, count):
    return np.stack([rng.permutation(count) for _ in range(rows)]) / 4


def _given(rng, rows, count, width):
    candidates = rng.integers(0, 9, (rows, count, 3))
    candidates[:, :, 1] = np.arange(count)
    return {"candidates": candidates, "scores": _scores(rng, rows, count), "width": width}


def _repeated(rng, count):
    given = _given(rng, 2, count, 3)
    given["scores"] = given["scores"] + 2
    for row in range(2):
        best, next_best = np.argsort(-given["scores"][row])[:2]
        given["candidates"][row, max(best, next_best)] = given["candidates"][
            row, min(best, next_best)
        ]
    return given


def _alike(rng):
    given = _given(rng, 2, 5, 2)
    given["candidates"][:, :, 0] = 4
    given["candidates"][1] = given["candidates"][0, rng.permutation(5)]
    return given


def _tied(rng):
    return _given(rng, 3, 7, 3) | {"scores": rng.integers(0, 2, (3, 7)) / 4}


def _few_differ():
    """One for the first prompt, whose copies fill the rest; for the second, four written alike."""
    candidates = np.array([[[1, 2]] * 4, [[1, 12], [1, 2], [11, 2], [2, 1]]])
    scores = np.array([[1, 4, 2, 3], [1, 3, 4, 2]]) / 4
    return {"candidates": candidates, "scores": scores, "width": 3}


def _below(rng):
    given = _given(rng, 1, 5, 2)
    return given | {"scores": given["scores"] - 9}
