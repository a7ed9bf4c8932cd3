"""`vit.VisionTransformer`: the whole model."""

from __future__ import annotations

from dataclasses import replace

from grader.author.exercise import Call, Case, Exercise
from grader.author.parameters import few_bits
from grader.exercises.transformer import attention, dense, norm


def _values(call):
    """Its numbers alone: other cases look at gradients, and at what a call leaves behind."""
    return replace(call, args={"calls": [call.args]})


EXERCISE = Exercise(
    title="A Vision Transformer",
    section="whole-model",
    cases=(
        Case("by the class token", lambda rng: _model(rng, 2, num_layers=2), 4, grad=("images",)),
        Case("by the mean, of gray images", lambda rng: _gray(rng), 3, grad=("images",)),
        Case("a finer grid", lambda rng: _model(rng, 2, size=10), 2, grad=("images",)),
        Case(
            "a coarser grid",
            lambda rng: _values(_model(rng, 1, size=4)),
            probe="calls",
            corner=False,
        ),
        Case(
            "not square",
            lambda rng: _values(_model(rng, 2, size=4, width=10)),
            probe="calls",
            corner=False,
        ),
        Case(
            "another grid of as many patches",
            lambda rng: _values(_model(rng, 2, size=2, width=18)),
            probe="calls",
            corner=False,
        ),
        Case(
            "another eps",
            lambda rng: _values(_model(rng, 2, eps=0.5)),
            probe="calls",
            corner=False,
        ),
        Case(
            "what the encoder reads",
            lambda rng: _by("embed", _model(rng, 2)),
        ),
        Case(
            "what it reads, without a token",
            lambda rng: _by("embed", _model(rng, 2, pool="mean")),
        ),
        Case("in training mode, after the weights", lambda rng: _after(rng)),
        Case(
            "in evaluation mode, after the weights",
            lambda rng: replace(_after(rng), training=False),
        ),
        Case(
            "what its heads attend to",
            lambda rng: _by("weights", _model(rng, 2, num_layers=3)),
            2,
        ),
        Case("several calls", lambda rng: _calls(rng), probe="calls"),
        Case(
            "in training mode",
            lambda rng: _values(replace(_model(rng, 2), training=True)),
            probe="calls",
            corner=False,
        ),
        Case(
            "in float32",
            lambda rng: _values(_model(rng, 2)),
            dtype="float32",
            probe="calls",
        ),
        Case("patches that do not tile", lambda rng: _fresh(image_size=7), raises="ValueError"),
        Case("without a token", lambda rng: _token(rng), corner=True),
        Case("another pool", lambda rng: _fresh(pool="Class"), raises="ValueError"),
        Case("as it is made", lambda rng: _fresh(), probe="fresh"),
        Case("as it is made, for the mean", lambda rng: _fresh(pool="mean"), probe="fresh"),
        Case("on a device", lambda rng: _fresh(device="meta"), probe="fresh"),
        Case("one image", lambda rng: _model(rng, 1), hidden=True, corner=True),
        Case("three layers", lambda rng: _model(rng, 2, num_layers=3, pool="mean"), hidden=True),
        Case(
            "its heads, by the mean",
            lambda rng: _by("weights", _model(rng, 2, pool="mean")),
            hidden=True,
        ),
    ),
    tolerance=1e-7,
    hint=(
        "`embed`: patches, then the token, then the positions. The encoder's last norm is already "
        "in `Encoder`; what is left is to choose what the classifier sees."
    ),
    needs=("PatchEmbedding", "prepend", "resize_positions"),
)

_SIZES = {"embed_dim": 6, "num_heads": 2, "hidden": 11}
_SHAPES = {"image_size": 6, "patch_size": 2, "channels": 3, "classes": 5}


def _model(rng, count, *, size=None, width=None, num_layers=1, **init):
    init = {**_SIZES, **_SHAPES, "num_layers": num_layers, **init}
    size, channels, patch = size or init["image_size"], init["channels"], init["patch_size"]
    token = init.get("pool") != "mean"
    state = {
        "positions": rng.standard_normal((9 + token, 6)),
        **({"token": rng.standard_normal(6)} if token else {}),
        "patch_embedding.projection.weight": 0.4 * rng.standard_normal((6, channels, patch, patch)),
        "patch_embedding.projection.bias": 0.3 * rng.standard_normal(6),
    }
    for number in range(num_layers):
        name = f"encoder.layers.{number}."
        layer = attention(rng, 6, 2, name="attention.")
        layer |= norm(rng, "attention_norm", 6) | norm(rng, "feed_forward_norm", 6)
        layer |= dense(rng, "feed_forward.up", 11, 6) | dense(rng, "feed_forward.down", 6, 11)
        state |= {name + key: value for key, value in layer.items()}
    state |= norm(rng, "encoder.norm", 6) | dense(rng, "classifier", init["classes"], 6)
    return Call(
        init=init,
        state=few_bits(state),
        args={"images": rng.standard_normal((count, channels, size, width or size))},
    )


def _gray(rng):
    """Other numbers of channels, classes and pixels; still nine patches."""
    shapes = {"image_size": 9, "patch_size": 3, "channels": 1, "classes": 7}
    return _model(rng, 2, pool="mean", **shapes)


def _after(rng):
    """Asked for its weights, a model stays in the mode that it is in."""
    call = replace(_model(rng, 2), training=True)
    steps = (("weights", call.args), ("training", None))
    return replace(call, args={}, steps=steps)


def _token(rng):
    """The mean over all patches needs no token, and says so."""
    call = _model(rng, 1, pool="mean")
    return replace(call, args={}, steps=(("token", None), ("", call.args)))


def _by(method, call):
    """Call another method."""
    return replace(call, args={}, steps=((method, call.args),))


def _calls(rng):
    call = _model(rng, 2)
    others = [_model(rng, 1).args, _model(rng, 2, size=8).args]
    return replace(call, args={"calls": [call.args, *others]})


def _fresh(**init):
    sizes = {"embed_dim": 64, "num_heads": 4, "num_layers": 1, "hidden": 101}
    return Call(args={}, init={**sizes, **_SHAPES, **init})
