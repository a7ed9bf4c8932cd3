"""`gpt.within_capacity`: first come, first served."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise

EXERCISE = Exercise(
    title="Dropping what exceeds the capacity",
    section="expert-capacity",
    cases=(
        Case("one choice each", lambda rng: _given(rng, 13, 3, 3), 2),
        Case("two choices each", lambda rng: _given(rng, 11, 5, 3, k=2), 2),
        Case("three choices each", lambda rng: _given(rng, 7, 4, 4, k=3)),
        Case("room for one", lambda rng: _given(rng, 11, 5, 1, k=2)),
        Case("all want the same expert", lambda rng: _same(rng), corner=True),
        Case("room for all", lambda rng: _given(rng, 5, 7, 5, k=2), corner=True),
        Case("no room", lambda rng: _given(rng, 5, 3, 0, k=2), corner=True),
        Case("one token", lambda rng: _given(rng, 1, 5, 1, k=3), corner=True),
        Case("an expert that no token chooses", lambda rng: _unwanted(rng), corner=True),
        Case(
            "no tokens",
            lambda rng: {"chosen": np.zeros((0, 2), dtype=np.int64), "num_experts": 3, "limit": 2},
        ),
        Case("many tokens", lambda rng: _given(rng, 41, 3, 17, k=2), hidden=True),
    ),
    hint=(
        "Put all choices in the order in which they are accepted: `chosen.T.flatten()`. The "
        "running count of each expert is the `cumsum` of `F.one_hot`."
    ),
)


def _given(rng, tokens, experts, limit, *, k=1):
    chosen = np.stack([rng.permutation(experts)[:k] for _ in range(tokens)])
    return {"chosen": chosen, "num_experts": experts, "limit": limit}


def _same(rng):
    given = _given(rng, 7, 3, 2)
    return given | {"chosen": np.full((7, 1), int(rng.integers(0, 3)))}


def _unwanted(rng):
    return _given(rng, 7, 3, 2, k=2) | {"num_experts": 5}
