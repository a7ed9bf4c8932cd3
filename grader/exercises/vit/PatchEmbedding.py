"""`vit.PatchEmbedding`: patches as tokens."""

from __future__ import annotations

from dataclasses import replace

from grader.author.exercise import Call, Case, Exercise

EXERCISE = Exercise(
    title="Patch embedding",
    section="patch-embedding",
    cases=(
        Case("a batch in colour", lambda rng: _layer(rng, 2, 3, 6, 9), 2, grad=("images",)),
        Case("one channel", lambda rng: _layer(rng, 2, 1, 6, 3), grad=("images",), corner=True),
        Case(
            "in training mode",
            lambda rng: replace(_layer(rng, 2, 3, 6, 9), training=True),
        ),
        Case("square images", lambda rng: _layer(rng, 2, 3, 6, 6), grad=("images",)),
        Case(
            "large patches",
            lambda rng: _layer(rng, 1, 2, 5, 10, size=5),
            grad=("images",),
            corner=True,
        ),
        Case("in float32", lambda rng: _layer(rng, 2, 3, 6, 9), dtype="float32"),
        Case(
            "on a device",
            lambda rng: Call(
                args={}, init={"size": 2, "channels": 3, "embed_dim": 5, "device": "meta"}
            ),
            probe="fresh",
        ),
        Case(
            "as it is made",
            lambda rng: Call(args={}, init={"size": 7, "channels": 3, "embed_dim": 61}),
            probe="fresh",
        ),
        Case("a single patch", lambda rng: _layer(rng, 2, 1, 3, 3), corner=True),
        Case("several calls", lambda rng: _calls(rng), probe="calls"),
        Case("patches of one pixel", lambda rng: _layer(rng, 2, 3, 2, 5, size=1), hidden=True),
        Case("one patch", lambda rng: _layer(rng, 3, 2, 3, 3), grad=("images",), hidden=True),
    ),
    hint=(
        "A convolution whose stride is its kernel looks at every patch once. Its result is a "
        "picture of D channels: flatten the grid, and put the features last."
    ),
)


def _layer(rng, count, channels, height, width, size=3):
    return Call(
        init={"size": size, "channels": channels, "embed_dim": 7},
        state={
            "projection.weight": 0.3 * rng.standard_normal((7, channels, size, size)),
            "projection.bias": 0.3 * rng.standard_normal(7),
        },
        args={"images": rng.standard_normal((count, channels, height, width))},
    )


def _calls(rng):
    first, other = _layer(rng, 2, 2, 6, 3), _layer(rng, 1, 2, 3, 12)
    return Call(init=first.init, state=first.state, args={"calls": [first.args, other.args]})
