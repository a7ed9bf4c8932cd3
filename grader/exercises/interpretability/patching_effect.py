"""`interpretability.patching_effect`: how far a patch moves the answer."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.interpretability import few

EXERCISE = Exercise(
    title="The effect of a patch",
    section="activation-patching",
    tolerance=1e-8,
    cases=(
        Case("one patch", lambda rng: _runs(rng, 5, 7), 3, grad=("patched",)),
        Case("several patches", lambda rng: _runs(rng, 3, 5, 4), 2),
        Case("worse than corrupted", lambda rng: _worse(rng)),
        Case("two leading axes", lambda rng: _runs(rng, 2, 3, 2, 1), corner=True),
        Case("one example", lambda rng: _runs(rng, 1, 3), corner=True),
        Case("in float32", lambda rng: _runs(rng, 3, 5), dtype="float32"),
        Case("many patches", lambda rng: _runs(rng, 5, 11, 7), hidden=True),
    ),
    hint="Index logits with `[..., examples, tokens]`, where examples is 0, 1, …, B − 1.",
)


def _runs(rng, count, vocabulary, *lead):
    right = rng.integers(0, vocabulary, count)
    wrong = (right + rng.integers(1, vocabulary, count)) % vocabulary
    rows = np.arange(count)
    clean, corrupted = few(rng, count, vocabulary), few(rng, count, vocabulary)
    clean[rows, right] += 4
    corrupted[rows, wrong] += 3
    return {
        "clean": clean,
        "corrupted": corrupted,
        "patched": few(rng, *lead, count, vocabulary),
        "right": right,
        "wrong": wrong,
    }


def _worse(rng):
    given = _runs(rng, 3, 5)
    return given | {"patched": 2 * given["corrupted"] - given["clean"] / 2}
