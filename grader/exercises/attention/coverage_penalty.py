"""`attention.coverage_penalty`: what was left out."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.attention import weights_of


def _inputs(rng, *, batch=3, queries=7, keys=5, source=(5, 3, 4), target=(7, 4, 2)):
    made = weights_of(rng, batch, queries, keys, size=1.5)
    return {
        "weights": made,
        "source": np.arange(keys) < np.array(source[:batch])[:, None],
        "target": np.arange(queries) < np.array(target[:batch])[:, None],
    }


def _whole(rng, **sizes):
    made = _inputs(rng, **sizes)
    return {**made, **{name: np.ones_like(made[name]) for name in ("source", "target")}}


def _nothing(rng):
    """Weight on a source position from the padding of the target alone."""
    made = _inputs(rng, batch=2, queries=5)
    made["weights"][1, :4, 2] = 0
    return made


def _padding_without(rng):
    """No weight on the source's padding, as it should be."""
    made = _inputs(rng)
    made["weights"] *= made["source"][:, None]
    made["weights"] /= made["weights"].sum(axis=-1, keepdims=True)
    return made


def _hardly(rng):
    """A source position that got less than float32 can tell from 0 beside 1."""
    made = _padding_without(rng)
    made["weights"][:, :, 0] *= 1e-9
    return made


def _nan(rng):
    """Weights of a softmax over nothing, where no target position is."""
    made = _inputs(rng)
    made["weights"][~made["target"]] = np.nan
    return made


EXERCISE = Exercise(
    title="The coverage penalty",
    section="coverage",
    cases=(
        Case("no padding", _whole, 2, grad=("weights",)),
        Case("padding on both sides", _padding_without, 2, grad=("weights",)),
        Case("weights in the padding", _inputs),
        Case("NaN in the padding", lambda rng: _nan(rng), grad=("weights",)),
        Case(
            "few target positions",
            lambda rng: _whole(rng, queries=2, keys=11),
            grad=("weights",),
        ),
        Case("as many as source positions", lambda rng: _whole(rng, batch=2, queries=5)),
        Case("a position that got nothing", _nothing, grad=("weights",), corner=True),
        Case("in float32, hardly anything", _hardly, dtype="float32"),
        Case("one of each", lambda rng: _whole(rng, batch=1, queries=1, keys=3), hidden=True),
        Case(
            "short targets",
            lambda rng: _inputs(rng, target=(1, 2, 1)),
            grad=("weights",),
            hidden=True,
        ),
    ),
    hint="Sum over the target, cut at 1, take the logarithm; padding must add 0 and not ln 0.",
)
