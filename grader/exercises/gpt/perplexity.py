"""`gpt.perplexity`: between how many tokens a model is torn."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise

EXERCISE = Exercise(
    title="Perplexity",
    section="perplexity-of-texts",
    cases=(
        Case("rows of different lengths", lambda rng: _given(rng, [7, 2, 4]), 2, grad=("losses",)),
        Case("rows of one length", lambda rng: _given(rng, [7, 7, 7])),
        Case("a very short row", lambda rng: _given(rng, [7, 1])),
        Case("one token", lambda rng: _given(rng, [1]), corner=True),
        Case("an empty row", lambda rng: _given(rng, [0, 5]), corner=True),
        Case("no number in the padding", lambda rng: _padding(rng)),
        Case("the first do not count", lambda rng: _later(rng)),
        Case("a long text", lambda rng: _long(rng)),
        Case("hardly possible tokens", lambda rng: _hardly(rng)),
        Case("in float32", lambda rng: _given(rng, [3, 7]), dtype="float32"),
        Case("five rows", lambda rng: _given(rng, [1, 6, 3, 7, 2]), hidden=True),
    ),
    tolerance=1e-9,  # one mean, one exponential
    hint="One mean over all tokens that count, then `exp`. `losses[mask]` is a flat list of them.",
)


def _given(rng, lengths, *, padding=0.7):
    mask = np.arange(7) < np.array(lengths)[:, None]
    scale = np.linspace(0.5, 2.0, len(lengths))[:, None]
    losses = rng.gamma(2.0, 1.0, mask.shape) * scale
    return {"losses": np.where(mask, losses, padding), "mask": mask}


def _padding(rng):
    given = _given(rng, [3, 7, 5], padding=np.nan)
    given["losses"][0, 4] = np.inf
    return given


def _long(rng):
    """The product of all 1 / p is beyond float64."""
    return {"losses": rng.gamma(4.0, 1.0, (3, 211)), "mask": np.ones((3, 211), bool)}


def _later(rng):
    given = _given(rng, [7, 5])
    given["mask"][:, :2] = False
    given["losses"][0, 3] = 0.0  # a certain token counts, too
    return given


def _hardly(rng):
    given = _given(rng, [7, 5])
    given["losses"][0, 2], given["losses"][1, 3] = 310.0, 90.0
    return given
