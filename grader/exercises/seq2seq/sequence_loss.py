"""`seq2seq.sequence_loss`: cross-entropy over what is there."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.seq2seq import padded


def _inputs(rng, lengths, *, longest, size=1.5, nan=False, **pad):
    target = padded(rng, lengths, longest=longest, **pad)
    logits = size * rng.standard_normal((*target.shape, 7))
    if nan:
        logits[target == pad.get("pad", 0)] = np.nan
    return {"logits": logits, "target": target, **pad}


EXERCISE = Exercise(
    title="The loss of a padded batch",
    section="sequence-loss",
    cases=(
        Case("ragged", lambda rng: _inputs(rng, [2, 5, 1], longest=5), 2, grad=("logits",)),
        Case("no padding", lambda rng: _inputs(rng, [5, 5], longest=5), grad=("logits",)),
        Case("much padding", lambda rng: _inputs(rng, [3, 1], longest=13), grad=("logits",)),
        Case(
            "a sequence of padding alone",
            lambda rng: _inputs(rng, [3, 0, 2], longest=3, pad=-100),
            corner=True,
        ),
        Case("another padding token", lambda rng: _inputs(rng, [2, 3], longest=5, pad=6)),
        Case("padding inside", lambda rng: _holes(rng), grad=("logits",), corner=True),
        Case("NaN at the padding", lambda rng: _inputs(rng, [2, 3], longest=5, nan=True)),
        Case("large logits", lambda rng: _inputs(rng, [2, 3], longest=3, size=500.0)),
        Case("in float32", lambda rng: _inputs(rng, [2, 3], longest=5), dtype="float32"),
        Case("more of it", lambda rng: _inputs(rng, [7, 2, 11, 3, 5], longest=11), hidden=True),
        Case(
            "far-out numbers",
            lambda rng: _inputs(rng, [2, 5, 1], longest=5, size=1e6),
            grad=("logits",),
            corner=True,
        ),
    ),
    hint=(
        "`target != pad` says where the tokens are. Indexed with that mask, logits are (n, V) and "
        "targets (n,): no padding is left."
    ),
)


def _holes(rng):
    target = rng.integers(1, 7, (3, 7))
    target[rng.random((3, 7)) < 0.4] = 0
    target[0, 0], target[1, 1] = 3, 0
    return {"logits": rng.standard_normal((3, 7, 7)), "target": target}
