"""`recurrent.bits_per_character`: what a language model is measured by."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise


def _inputs(rng, *shape, size=2.0, mask=False, log=False):
    made = {
        "logits": size * rng.standard_normal((*shape, 7)) + 3.0,
        "target": rng.integers(0, 7, shape),
    }
    if log:
        made["logits"] -= np.log(np.exp(made["logits"]).sum(-1, keepdims=True))
    if mask:
        made["mask"] = rng.random(shape) < 0.6
        made["mask"][..., 0] = True
        made["target"][~made["mask"]] = 0
    return made


def _outside(rng):
    """Where the mask is False: NaN, ∞ or −∞, and a target of −100, as for `F.cross_entropy`, or one
    too large."""
    made = _inputs(rng, 3, 11, mask=True)
    hidden = ~made["mask"]
    made["logits"][hidden] = rng.choice([np.nan, np.inf, -np.inf], (hidden.sum(), 1))
    made["target"][hidden] = rng.choice([-100, 99], hidden.sum())
    return made


EXERCISE = Exercise(
    title="Bits per character",
    section="bits",
    cases=(
        Case("a batch of sequences", lambda rng: _inputs(rng, 3, 5), 2, grad=("logits",)),
        Case("a mask", lambda rng: _inputs(rng, 3, 11, mask=True), 2, grad=("logits",)),
        Case("log-probabilities", lambda rng: _inputs(rng, 5, log=True)),
        Case("large logits", lambda rng: _inputs(rng, 2, 3, size=1e5)),
        Case("one position", lambda rng: _inputs(rng), corner=True),
        Case("in float32, three axes", lambda rng: _inputs(rng, 2, 3, 2), dtype="float32"),
        Case("no numbers where nothing counts", lambda rng: _outside(rng), grad=("logits",)),
        Case("three axes", lambda rng: _inputs(rng, 2, 3, 5, mask=True), hidden=True, corner=True),
    ),
    hint=(
        "Take the logarithm of the softmax at the target, change its sign, and average; one bit "
        "is ln 2 nats."
    ),
)
