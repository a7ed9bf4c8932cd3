"""`preference.grpo_loss`: all of it in one step."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.preference import answers, log_probs, normal

ALL = ("log_probs", "old", "reference")
SPANS = [(2, 7), (1, 6), (0, 5), (3, 7), (2, 4), (1, 5)]

EXERCISE = Exercise(
    title="The GRPO loss",
    section="grpo-step",
    cases=(
        Case("no price", lambda rng: _given(rng), 2, grad=(*ALL, "rewards")),
        Case("with a price", lambda rng: _given(rng, beta=0.7), 3, grad=ALL),
        Case("two prompts, right or wrong", lambda rng: _checked(rng), 2, grad=ALL),
        Case("a group that teaches nothing", lambda rng: _equal(rng), 2, grad=ALL, corner=True),
        Case("the first step", lambda rng: _first(rng), grad=ALL),
        Case("a narrow band", lambda rng: _given(rng, clip=0.05, beta=0.1), grad=ALL),
        Case("one prompt", lambda rng: _given(rng, prompts=1, beta=0.3), grad=ALL),
        Case("an empty answer", lambda rng: _empty(rng), grad=ALL, corner=True),
        Case("NaN in the padding", lambda rng: _padding(rng), grad=("log_probs",)),
        Case("in float32", lambda rng: _given(rng, beta=0.3), dtype="float32", grad=ALL),
        Case("three prompts", lambda rng: _given(rng, prompts=3, beta=0.2), grad=ALL, hidden=True),
    ),
    hint=(
        "Compute advantages from the groups, the clipped loss with them, and add β times k3 with "
        "the reference."
    ),
    needs=("clipped_loss", "group_advantages", "kl_estimates"),
)


def _given(rng, *, prompts=2, **more):
    old = log_probs(rng, 6, 7) - 1
    return {
        "log_probs": old + 0.3 * normal(rng, 6, 7, size=1.0),
        "old": old,
        "reference": old + 0.5 * normal(rng, 6, 7, size=1.0),
        "rewards": normal(rng, prompts, 6 // prompts),
        "mask": answers(6, 7, SPANS),
        **more,
    }


def _checked(rng):
    given = _given(rng, beta=0.4)
    return given | {"rewards": np.array([[1.0, 0.0, 0.0], [1.0, 1.0, 0.0]])}


def _equal(rng):
    given = _given(rng, beta=0.4)
    return given | {"rewards": np.array([[1.0, 1.0, 1.0], [0.3, 0.9, 0.0]])}


def _first(rng):
    given = _given(rng, beta=0.4)
    return given | {"old": given["log_probs"].copy()}


def _empty(rng):
    given = _given(rng, beta=0.4)
    given["mask"][3] = False
    return given


def _padding(rng):
    given = _given(rng, beta=0.4)
    for name in ALL:
        given[name][~given["mask"]] = np.nan
    return given
