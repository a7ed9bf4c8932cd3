"""`bert.mlm_loss`: the loss over what is asked for."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise

EXERCISE = Exercise(
    title="The masked language modeling loss",
    section="masked-language-model",
    cases=(
        Case("a batch", lambda rng: _given(rng, (3, 11), 7), 3, grad=("logits",)),
        Case("rows with more and fewer", lambda rng: _uneven(rng), 2, grad=("logits",)),
        Case("everything asked", lambda rng: _given(rng, (2, 5), 7, share=1.1)),
        Case("nothing asked", lambda rng: _given(rng, (2, 5), 7, share=-1.0), grad=("logits",)),
        Case(
            "nothing asked, large logits",
            lambda rng: _given(rng, (2, 5), 7, share=-1.0, size=800.0),
            grad=("logits",),
        ),
        Case(
            "nothing asked, and a token without any chance",
            lambda rng: _without_chance(rng),
            grad=("logits",),
        ),
        Case("a label without any chance", lambda rng: _unlikely(rng), corner=True),
        Case("one position", lambda rng: _one(rng), grad=("logits",), corner=True),
        Case("no axis of rows", lambda rng: _given(rng, (13,), 5), grad=("logits",), corner=True),
        Case("large logits", lambda rng: _given(rng, (3, 7), 5, size=800.0), grad=("logits",)),
        Case("in float32", lambda rng: _given(rng, (3, 7), 5), dtype="float32"),
        Case("more axes", lambda rng: _given(rng, (2, 3, 5), 7), grad=("logits",), corner=True),
        Case("more rows", lambda rng: _given(rng, (7, 13), 5), grad=("logits",), hidden=True),
    ),
    tolerance=1e-9,  # nothing stands beside the number of positions in the divisor
    hint="Index with `labels != -100` first; the rest is an ordinary cross-entropy. Mind 0 / 0.",
)


def _given(rng, shape, tokens, *, share=0.4, size=2.0):
    labels = rng.integers(0, tokens, shape)
    chosen = rng.random(shape) < share
    chosen.flat[1] |= share > 0
    return {
        "logits": size * rng.standard_normal((*shape, tokens)),
        "labels": np.where(chosen, labels, -100),
    }


def _uneven(rng):
    given = _given(rng, (4, 13), 5)
    given["labels"][0] = np.where(np.arange(13) < 11, 3, -100)
    given["labels"][1] = -100
    return given


def _one(rng):
    """Without any other axis."""
    return {"logits": 2 * rng.standard_normal(7), "labels": np.array(0)}


def _without_chance(rng):
    given = _given(rng, (2, 5), 7, share=-1.0)
    given["logits"][..., [0, 3]] = -np.inf
    return given


def _unlikely(rng):
    """A token that has no chance is the label of one position, and its loss is infinite."""
    given = _given(rng, (3, 5), 7)
    given["labels"][1, 3], given["logits"][1, 3, 2] = 2, -np.inf
    return given
