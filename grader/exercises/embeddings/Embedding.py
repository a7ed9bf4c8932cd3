"""`embeddings.Embedding`: the table as a module."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from grader.author.exercise import Call, Case, Exercise
from grader.exercises.embeddings import B, D, V


def _embedding(rng, *shape, padding=None, start=False, words=V):
    given = rng.standard_normal((words, D))
    input = rng.integers(words, size=shape)
    if padding is not None:
        input.flat[:2] = padding
    if start:
        input = np.full(shape, padding)
    init = {"num_embeddings": words, "embedding_dim": D, "padding_idx": padding}
    return Call(init=init, state=None if start else {"weight": given}, args={"input": input})


def _outside(rng, number):
    call = _embedding(rng, 2, 7)
    call.args["input"][1, 3] = number
    return call


EXERCISE = Exercise(
    title="The embedding table as a module",
    section="embedding-module",
    hint=(
        "`weight[-1]` is the last row, but `weight.index_select(0, ...)` raises an error for −1. "
        "`torch.where(padding, vectors.detach(), vectors)` has the same values and passes no "
        "gradient to the padding."
    ),
    forbidden=("F.embedding", "nn.Embedding"),
    cases=(
        Case("a batch of sentences", lambda rng: _embedding(rng, 2, 7)),
        Case("padding gets no gradient", lambda rng: _embedding(rng, 3, 5, padding=4), 2),
        Case("padding is word 0", lambda rng: _embedding(rng, B, padding=0)),
        Case("padding as it starts", lambda rng: _embedding(rng, 2, 3, padding=7, start=True)),
        Case(
            "as it is made",
            lambda rng: Call(args={}, init={"num_embeddings": 101, "embedding_dim": 53}),
            probe="fresh",
        ),
        Case(
            "on a device",
            lambda rng: Call(
                args={}, init={"num_embeddings": 7, "embedding_dim": 3, "device": "meta"}
            ),
            probe="fresh",
        ),
        Case(
            "used on a device",
            lambda rng: replace(_embedding(rng, 2, 3, padding=1, words=5), state=None),
            probe="elsewhere",
        ),
        Case("in training mode", lambda rng: replace(_embedding(rng, 2, 3), training=True)),
        Case(
            "the last word is padding",
            lambda rng: _embedding(rng, 2, 3, padding=V - 1),
            hidden=True,
        ),
        Case("one sentence", lambda rng: _embedding(rng, 1, 7), corner=True),
        Case("in float32", lambda rng: _embedding(rng, 2, 7, padding=4), dtype="float32"),
        Case("a number below 0", lambda rng: _outside(rng, -1), raises="IndexError"),
        Case("a number that no word has", lambda rng: _outside(rng, V), raises="IndexError"),
        Case("three axes", lambda rng: _embedding(rng, 2, 3, 5, padding=1), corner=True),
        Case("no word", lambda rng: _embedding(rng, 0, padding=2), corner=True),
        Case("a single word", lambda rng: _embedding(rng), corner=True),
        Case("word 0 as it starts", lambda rng: _embedding(rng, 2, 3, padding=0, start=True)),
    ),
)
