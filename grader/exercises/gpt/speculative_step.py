"""`gpt.speculative_step`: proposals, checked all at once."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.gpt import probabilities

EXERCISE = Exercise(
    title="One step of speculative decoding",
    section="speculative-decoding",
    cases=(
        Case("all stay", lambda rng: _given(rng, refused=3), 2),
        Case("the first is refused", lambda rng: _given(rng, refused=0)),
        Case("the second is refused", lambda rng: _given(rng, refused=1), 2),
        Case("the last is refused", lambda rng: _given(rng, refused=2)),
        Case("one in the middle, those after would stay", lambda rng: _given(rng, n=7, refused=2)),
        Case("liked better by the target", lambda rng: _liked(rng)),
        Case("nothing proposed", lambda rng: _given(rng, n=0, refused=0)),
        Case("one proposal", lambda rng: _given(rng, n=1, refused=1)),
        Case("just refused", lambda rng: _border(rng), corner=True),
        Case("just stays", lambda rng: _below(rng), corner=True),
        Case("nothing left of the first", lambda rng: _first(rng), corner=True),
        Case("never wanted", lambda rng: _never(rng), corner=True),
        Case("hardly ever said", lambda rng: _rare(rng), corner=True),
        Case("the last that is not empty", lambda rng: _end(rng), corner=True),
        Case("in float32", lambda rng: _given(rng, refused=1), dtype="float32"),
        Case("five proposals", lambda rng: _given(rng, n=5, refused=4), hidden=True),
        Case("another five", lambda rng: _given(rng, n=5, refused=5), hidden=True),
    ),
    hint=(
        "`cumprod` over the accepted is 1 up to the first rejection, and 0 from there on: its sum "
        "is m. To sample from probabilities with `draw_next`, pass their logarithms."
    ),
    needs=("acceptance", "residual", "draw_next"),
)


def _given(rng, *, n=3, refused, kinds=7):
    """Every proposal would stay but one; the last number draws what the residual alone makes."""
    target, draft = probabilities(rng, n + 1, kinds), probabilities(rng, n, kinds)
    tokens = rng.integers(0, kinds, n)
    uniform = rng.random(n + 1)
    for t in range(n):
        at = tokens[t]
        draft[t, at] = 0.6 + 0.2 * rng.random()
        target[t, at] = draft[t, at] * (0.3 + 0.2 * rng.random())
        for p in (target[t], draft[t]):
            others = np.arange(kinds) != at
            p[others] *= (1 - p[at]) / p[others].sum()
        stays = target[t, at] / draft[t, at]
        uniform[t] = stays + (1 - stays) / 3 if t == refused else stays * rng.random()
    return {"target": target, "draft": draft, "tokens": tokens, "uniform": uniform}


def _liked(rng):
    """The target likes both better than the draft does: they stay, whatever the numbers are."""
    given = _given(rng, n=2, refused=2)
    target, draft = given["target"][:2].copy(), given["draft"]
    given["target"][:2], given["draft"] = draft, target
    given["uniform"][:2] = [0.999, 0.97]
    return given


def _border(rng):
    """The number is the acceptance itself, a half: it is not below it."""
    given = _given(rng, refused=1)
    given["target"][0] = [0.25, 0.25, 0.5, 0, 0, 0, 0]
    given["draft"][0] = [0.5, 0.25, 0.25, 0, 0, 0, 0]
    given["tokens"][0], given["uniform"][0] = 0, 0.5
    return given


def _below(rng):
    """As in `_border`, and the number is a little less: float32 does not see that."""
    given = _border(rng)
    given["uniform"][0] -= 1e-9
    return given


def _first(rng):
    """Nothing is left of the first two tokens: even the number 0 draws neither."""
    given = _given(rng, refused=1)
    given["target"][1] = [0.125, 0.125, 0.25, 0.5, 0, 0, 0]
    given["draft"][1] = [0.5, 0.25, 0.25, 0, 0, 0, 0]
    given["tokens"][1], given["uniform"][1], given["uniform"][3] = 0, 0.5, 0.0
    return given


def _never(rng):
    """Refuse a token that the target never says, even with the number 0."""
    given = _given(rng, refused=2)
    given["target"][1] = [0, 0.25, 0, 0.5, 0.25, 0, 0]
    given["draft"][1] = [0.5, 0.25, 0.25, 0, 0, 0, 0]
    given["tokens"][1], given["uniform"][1] = 2, 0.0
    return given


def _end(rng):
    """Ten tenths sum to a little less than 1, and the number is no smaller; the last two have 0."""
    given = _given(rng, kinds=12, refused=3)
    given["target"][3] = [0.1] * 10 + [0, 0]
    given["uniform"][3] = 1 - 2.0**-53
    return given


def _rare(rng):
    """The first token is hardly ever said by either model, and by the target half as often."""
    given = _given(rng, refused=3)
    at = given["tokens"][0]
    for name, size in (("target", 1e-9), ("draft", 2e-9)):
        p = given[name][0]
        others = np.arange(len(p)) != at
        p[others] *= (1 - size) / p[others].sum()
        p[at] = size
    given["uniform"][0] = 0.4
    return given
