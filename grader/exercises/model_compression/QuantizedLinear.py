"""`model_compression.QuantizedLinear`: a layer that stores integers."""

from __future__ import annotations

from dataclasses import replace

from grader.author.exercise import Call, Case, Exercise, Made, Returned
from grader.exercises.model_compression import few, odd

EXERCISE = Exercise(
    title="A quantized linear layer",
    section="scales",
    tolerance=1e-10,
    cases=(
        Case("8 bits", lambda rng: _layer(rng, 3), 2, grad=("x",)),
        Case("4 bits in groups", lambda rng: _layer(rng, 3, bits=4, group=2), 2),
        Case("3 bits, no bias, in training mode", lambda rng: _training(rng)),
        Case("what it stores", lambda rng: _stored(rng, bits=4, group=3), 2),
        Case("the layer that was given", lambda rng: _given(rng), corner=True),
        Case("one example", lambda rng: _layer(rng, 1, bits=4), corner=True),
        Case("one vector", lambda rng: _layer(rng, bits=4), corner=True),
        Case("in float32", lambda rng: _layer(rng, 2, bits=4, group=2), dtype="float32"),
        Case("groups that do not fit", lambda rng: _layer(rng, 2, group=4), raises="ValueError"),
        Case("as it is made", lambda rng: _fresh(rng), probe="fresh"),
        Case("a sequence", lambda rng: _layer(rng, 2, 3, bits=5, group=3), hidden=True),
    ),
    hint=(
        "`unflatten(-1, (-1, group))` makes groups of rows, and `flatten(1)` makes rows again. "
        "Use `register_buffer`, so that codes are saved and moved, and are not trained."
    ),
)


def _base(rng, *, bias=True, outputs=3, inputs=6):
    given = {"weight": odd(rng, outputs, inputs)}
    if bias:
        given["bias"] = few(rng, outputs)
    return Made("affine", given)


def _training(rng):
    return replace(_layer(rng, 2, bits=3, bias=False), training=True)


def _layer(rng, *batch, bias=True, **options):
    return Call(
        init={"linear": _base(rng, bias=bias), **options},
        args={"x": few(rng, *batch, 6) / 2},
    )


def _stored(rng, **options):
    return Call(
        init={"linear": _base(rng), **options},
        steps=(("codes", None), ("scale", None), ("bias", None), ("", {"x": few(rng, 2, 6)})),
    )


def _given(rng):
    """Made once more, of a layer that is then looked at, and whose bias is then set to 0."""
    keep = {"name": "given"}
    return Call(
        init={"linear": _base(rng)},
        steps=(
            ("add_module", {**keep, "module": _base(rng)}),
            ("given", None),
            ("__init__", {"linear": Returned(1)}),
            ("add_module", {**keep, "module": Returned(1)}),
            ("given.weight", None),
            ("given.bias.data.zero_", {}),
            ("codes", None),
            ("scale", None),
            ("bias", None),
        ),
    )


def _fresh(rng):
    return Call(init={"linear": _base(rng, outputs=2, inputs=4), "bits": 4, "group": 2}, args={})
