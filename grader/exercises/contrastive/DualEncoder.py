"""`contrastive.DualEncoder`: images and texts in one space."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from grader.author.exercise import Call, Case, Exercise
from grader.exercises.contrastive import few

EXERCISE = Exercise(
    title="Two encoders",
    section="two-encoders",
    tolerance=1e-7,
    cases=(
        Case("images and texts", lambda rng: _both(rng, [[1, 2, 0], [3, 0, 0]]), 3),
        Case("padding", lambda rng: _both(rng, [[2, 2, 0, 0, 0], [4, 1, 3, 2, 1]]), 2),
        Case("no padding", lambda rng: _both(rng, [[4, 1], [2, 3]])),
        Case("a text without words", lambda rng: _both(rng, [[0, 0], [2, 3]]), corner=True),
        Case("a scale above the limit", lambda rng: _both(rng, [[1, 2], [3, 0]], 8.0)),
        Case("the texts alone", lambda rng: _texts(rng), corner=True),
        Case("one pair", lambda rng: _both(rng, [[3, 1, 0]]), corner=True),
        Case(
            "in training",
            lambda rng: replace(_both(rng, [[1, 0], [4, 2]]), training=True),
            corner=True,
        ),
        Case("in float32", lambda rng: _both(rng, [[1, 2], [3, 0]]), dtype="float32"),
        Case(
            "on another device",
            lambda rng: _both(rng, [[1, 0], [3, 2]]),
            dtype="float32",
            probe="elsewhere",
        ),
        Case("as it is made", lambda rng: _fresh(), probe="fresh"),
        Case("on a device", lambda rng: _fresh(device="meta"), probe="fresh"),
        Case("three texts", lambda rng: _both(rng, [[1, 0], [2, 4], [3, 3]]), hidden=True),
    ),
    hint=(
        "Set the vectors of padding to 0, sum over the words, and divide by the number of words, "
        "at least 1. `F.normalize` divides by the length."
    ),
)

_PIXELS, _WORDS, _HIDDEN, _WIDTH = 3, 5, 4, 2


def _state(rng, log_scale):
    return {
        "image_in.weight": few(rng, _HIDDEN, _PIXELS),
        "image_in.bias": few(rng, _HIDDEN),
        "image_out.weight": few(rng, _WIDTH, _HIDDEN),
        "words.weight": few(rng, _WORDS, _HIDDEN),
        "text_out.weight": few(rng, _WIDTH, _HIDDEN),
        "log_scale": np.array(log_scale),
    }


def _both(rng, tokens, log_scale=1.25):
    words = np.array([0, *(1 + rng.permutation(_WORDS - 1))])
    return Call(
        init={
            "pixels": _PIXELS,
            "vocabulary": _WORDS,
            "hidden": _HIDDEN,
            "embed_dim": _WIDTH,
        },
        state=_state(rng, log_scale),
        args={"images": few(rng, len(tokens), _PIXELS), "tokens": words[np.array(tokens)]},
    )


def _texts(rng):
    call = _both(rng, [[1, 2, 3], [4, 0, 0]])
    return Call(
        init=call.init,
        state=call.state,
        args={},
        steps=(
            ("encode_texts", {"tokens": call.args["tokens"]}),
            ("encode_images", {"images": call.args["images"]}),
        ),
    )


def _fresh(**init):
    sizes = {"pixels": 29, "vocabulary": 53, "hidden": 23, "embed_dim": 31}
    return Call(args={}, init={**sizes, **init})
