"""`preference.best_of_n`: draw n, keep the best."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise

EXERCISE = Exercise(
    title="Best-of-n sampling",
    section="best-of-n",
    cases=(
        Case("all different", lambda rng: _given(rng, rng.permutation(7) / 3), 2),
        Case("right or wrong", lambda rng: _given(rng, [0, 1, 0, 0, 1], n=3), 2),
        Case(
            "some equal", lambda rng: _given(rng, [0.5, -1, 0.5, 2, -1, 0.5, 2], n=5), corner=True
        ),
        Case(
            "nearly equal",
            lambda rng: _given(rng, [1.0, 1.001, 0.999, 1.001, 1.0], n=3),
            corner=True,
        ),
        Case("hardly different", lambda rng: _given(rng, 1 + 1e-12 * rng.permutation(5), n=3)),
        Case("one draw", lambda rng: _given(rng, rng.permutation(5) - 2.0, n=1)),
        Case("all equal", lambda rng: _given(rng, [0.25] * 5), corner=True),
        Case("some never", lambda rng: _never(rng), corner=True),
        Case("many draws", lambda rng: _rare(rng), corner=True),
        Case("one answer", lambda rng: _given(rng, [3.0]), corner=True),
        Case("in float32", lambda rng: _given(rng, [0, 1, 0, 2, 1]), dtype="float32"),
        Case("eleven answers", lambda rng: _given(rng, rng.permutation(11) // 2, n=4), hidden=True),
    ),
    tolerance=1e-8,  # nothing stands beside the share of a group in the divisor
    hint=(
        "All n are at most as good as y: that has a probability to the power of n. Answers with "
        "equal rewards share the probability of their group."
    ),
)


def _given(rng, rewards, *, n=4):
    rewards = np.array(rewards, dtype=float)
    chances = 0.2 + rng.random(len(rewards))
    return {"probabilities": chances / chances.sum(), "rewards": rewards, "n": n}


def _rare(rng):
    """Two answers share a group whose probability a small divisor would be lost in."""
    given = _given(rng, [0, 1, 1], n=100)
    given["probabilities"][1:3] *= 1e-7
    given["probabilities"] /= given["probabilities"].sum()
    return given


def _never(rng):
    given = _given(rng, [0, 1, 2, 2, 3, -1])
    given["probabilities"][[1, 2, 4]] = 0
    given["probabilities"] /= given["probabilities"].sum()
    return given
