"""`gpt.expected_tokens`: what a pass of the target gains."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise

_RARE = np.array([1e-3, 3e-4, 1e-9, 7e-13, 1e-12, 1e-15])

EXERCISE = Exercise(
    title="Expected tokens per forward pass",
    section="speculative-speed",
    cases=(
        Case("four ahead", lambda rng: _given(rng.random(7), 4), 2, grad=("share",)),
        Case("one share", lambda rng: _given(rng.random(1), 3), grad=("share",)),
        Case("one ahead", lambda rng: _given(rng.random(5), 1), grad=("share",)),
        Case("none ahead", lambda rng: _given(rng.random(5), 0), corner=True),
        Case("always and never", lambda rng: _given(np.array([1.0, 0.0, 0.5]), 3), grad=("share",)),
        Case("nearly always", lambda rng: _given(1 - _RARE, 6), corner=True),
        Case("a table", lambda rng: _given(rng.random((3, 5)), 2)),
        Case("one number", lambda rng: _given(np.array(0.8), 5), corner=True),
        Case("in float32", lambda rng: _given(rng.random(5), 3), dtype="float32"),
        Case("many ahead", lambda rng: _given(rng.random(5), 17), hidden=True),
    ),
    hint="The sum needs no division; (1 − aⁿ⁺¹) / (1 − a) is 0 / 0 for a = 1.",
)


def _given(share, ahead):
    return {"share": share, "ahead": ahead}
