"""`diffusion.unmask`: some hidden tokens become visible."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise

EXERCISE = Exercise(
    title="Unmasking",
    section="masked-diffusion",
    cases=(
        Case("half of the way", lambda rng: _texts(rng, 5, 11, 0.75, 0.375), 2),
        Case("a short step", lambda rng: _texts(rng, 5, 11, 0.5, 0.375), 2),
        Case("the first step", lambda rng: _hidden(rng, 1.0, 0.625)),
        Case("the last step", lambda rng: _last(rng)),
        Case("nothing is hidden", lambda rng: _visible(rng)),
        Case("the mask is token 0", lambda rng: _texts(rng, 3, 11, 0.75, 0.25, mask=0)),
        Case("one text", lambda rng: _texts(rng, 1, 17, 0.5, 0.25), corner=True),
        Case("in float32", lambda rng: _texts(rng, 3, 11, 0.75, 0.375), dtype="float32"),
        Case("long texts", lambda rng: _texts(rng, 2, 31, 0.875, 0.25), hidden=True),
    ),
    hint="Two conditions: the token is hidden, and its draw is below (t − r) / t.",
)


def _texts(rng, count, length, now, then, mask=9):
    tokens = rng.integers(1, 9, (count, length))
    return {
        "tokens": np.where(rng.random((count, length)) < 0.6, mask, tokens),
        "proposed": rng.integers(9, size=(count, length)),
        "uniform": rng.integers(32, size=(count, length)) / 32,
        "now": now,
        "then": then,
        "mask": mask,
    }


def _hidden(rng, now, then):
    given = _texts(rng, 3, 11, now, then)
    return given | {"tokens": np.full((3, 11), 9)}


def _visible(rng):
    given = _texts(rng, 2, 5, 0.75, 0.25)
    return given | {"tokens": rng.integers(1, 9, (2, 5))}


def _last(rng):
    """All become visible, even where the draw is nearly 1."""
    uniform = 1 - rng.integers(1, 32, (3, 7)) / 1024
    return _texts(rng, 3, 7, 0.25, 0.0) | {"uniform": uniform}
