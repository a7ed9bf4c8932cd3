"""`attention.hard_gradient`: the gradient of a look that cannot be differentiated."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import AUTOGRAD, Case, Exercise
from grader.exercises.attention import weights_of


def _inputs(rng, *, keys=5, draws=13, **more):
    return {
        "weights": weights_of(rng, keys),
        "drawn": rng.integers(0, keys, draws),
        "reward": 3 + 2 * rng.standard_normal(draws),
        **more,
    }


def _never(rng):
    return {**_inputs(rng), "drawn": np.array([1, 3, 1, 1, 0, 3, 1, 1, 3, 1, 0, 1, 1])}


EXERCISE = Exercise(
    title="Hard attention: a policy gradient",
    section="hard-attention",
    cases=(
        Case("thirteen draws", _inputs, 2),
        Case("with a baseline", lambda rng: _inputs(rng, baseline=2.5), 2),
        Case("a negative baseline", lambda rng: _inputs(rng, baseline=-1.5)),
        Case("a tensor for a baseline", lambda rng: _inputs(rng, baseline=np.array(1.5))),
        Case("keys that nobody drew", _never),
        Case("one draw", lambda rng: _inputs(rng, draws=1), corner=True),
        Case("one key", lambda rng: _inputs(rng, keys=1, draws=3), corner=True),
        Case("as many draws as keys", lambda rng: _inputs(rng, keys=7, draws=7)),
        Case("in float32", lambda rng: _inputs(rng, baseline=1.0), dtype="float32"),
        Case(
            "many draws",
            lambda rng: _inputs(rng, keys=3, draws=101, baseline=3.0),
            hidden=True,
        ),
    ),
    hint=(
        "For each draw: a row with 1 at the drawn key, minus p, times the reward less the "
        "baseline. Then the mean over the draws."
    ),
    forbidden=AUTOGRAD,
)
