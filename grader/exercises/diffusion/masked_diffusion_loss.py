"""`diffusion.masked_diffusion_loss`: hidden tokens, weighted."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.diffusion import between, few

EXERCISE = Exercise(
    title="The loss of masked diffusion",
    section="masked-diffusion",
    tolerance=1e-8,
    cases=(
        Case("two texts", lambda rng: _texts(rng, 2, 5), 2, grad=("logits",)),
        Case("three texts", lambda rng: _texts(rng, 3, 3), 2),
        Case("one text", lambda rng: _texts(rng, 1, 5)),
        Case("a low level", lambda rng: _low(rng), corner=True),
        Case("all is hidden", lambda rng: _all(rng)),
        Case("nothing is hidden", lambda rng: _nothing(rng)),
        Case("a visible token that is impossible", lambda rng: _impossible(rng), corner=True),
        Case("logits of thousands", lambda rng: _sharp(rng)),
        Case("in float32", lambda rng: _texts(rng, 2, 5), dtype="float32"),
        Case("long texts", lambda rng: _texts(rng, 2, 7), hidden=True),
    ),
    hint=(
        '`F.cross_entropy` with reduction="none" gives one loss per token. Set those of visible '
        "tokens to 0, and divide by B · T at the end, whatever is hidden."
    ),
)


def _texts(rng, count, length):
    """Some tokens hidden and some visible in each text, at levels that are not those shares."""
    masked = rng.permuted(np.tile(np.arange(length) % 2 == 0, (count, 1)), axis=1)
    return {
        "logits": few(rng, count, length, 5),
        "tokens": rng.integers(5, size=(count, length)),
        "masked": masked,
        "levels": between(rng, 0.125, 0.4375, count) + rng.permutation(np.arange(count) % 2) / 2,
    }


def _all(rng):
    given = _texts(rng, 2, 3)
    return given | {"masked": np.ones((2, 3), bool), "levels": np.ones(2)}


def _nothing(rng):
    return _texts(rng, 2, 3) | {"masked": np.zeros((2, 3), bool)}


def _impossible(rng):
    given = _texts(rng, 1, 3)
    visible = np.argmin(given["masked"][0])
    given["logits"][0, visible, given["tokens"][0, visible]] = -np.inf
    return given


def _sharp(rng):
    given = _texts(rng, 2, 3)
    return given | {"logits": 1024 * given["logits"]}


def _low(rng):
    return _texts(rng, 2, 3) | {"levels": np.array([1e-3, 0.5])}
