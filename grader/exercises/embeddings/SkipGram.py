"""`embeddings.SkipGram`: skip-gram with negative sampling."""

from __future__ import annotations

from dataclasses import replace

from grader.author.exercise import Call, Case, Exercise
from grader.exercises.embeddings import B, D, K, V, _words


def _skip_gram(rng, *, batch=B, negatives=K, words=7, start=False):
    """Few words, so that a word is center, context and noise at once and repeats."""
    state = {
        "center.weight": rng.standard_normal((words, D)),
        "context.weight": rng.standard_normal((words, D)),
    }
    return Call(
        init={"words": words, "size": D},
        state=None if start else state,
        args={
            "center": _words(rng, batch, words=words),
            "context": rng.integers(words, size=batch),
            "noise": rng.integers(words, size=(batch, negatives)),
        },
    )


EXERCISE = Exercise(
    title="Skip-gram with negative sampling",
    section="sgns-gradient",
    hint="Two tables: centers are looked up in one, contexts and noise in the other.",
    forbidden=("F.embedding", "nn.Embedding"),
    needs=("Embedding", "lookup", "sgns_loss"),
    cases=(
        Case("words that repeat", _skip_gram, 2),
        Case("a larger vocabulary", lambda rng: _skip_gram(rng, words=V)),
        Case("as it starts", lambda rng: _skip_gram(rng, start=True)),
        Case(
            "as it is made",
            lambda rng: Call(args={}, init={"words": 101, "size": 53}),
            probe="fresh",
        ),
        Case(
            "on a device",
            lambda rng: Call(args={}, init={"words": 7, "size": 3, "device": "meta"}),
            probe="fresh",
        ),
        Case("in training mode", lambda rng: replace(_skip_gram(rng), training=True)),
        Case(
            "one pair", lambda rng: _skip_gram(rng, batch=1, negatives=2), hidden=True, corner=True
        ),
        Case("in float32", _skip_gram, dtype="float32"),
    ),
)
