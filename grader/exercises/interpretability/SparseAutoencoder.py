"""`interpretability.SparseAutoencoder`: sparse codes and columns of length 1."""

from __future__ import annotations

from dataclasses import replace

from grader.author.exercise import Call, Case, Exercise
from grader.exercises.interpretability import few

EXERCISE = Exercise(
    title="A sparse autoencoder",
    section="sparse-autoencoder",
    tolerance=1e-8,
    returns=("rebuilt", "codes"),
    cases=(
        Case("a batch", lambda rng: _model(rng, 3), 3, grad=("x",)),
        Case("the two largest codes", lambda rng: _model(rng, 3, k=2), 2),
        Case("its directions", lambda rng: _directions(rng)),
        Case("its codes alone", lambda rng: _codes(rng, k=1)),
        Case("one vector", lambda rng: _model(rng), corner=True),
        Case("three axes", lambda rng: _model(rng, 2, 1), corner=True),
        Case("in float32", lambda rng: _model(rng, 2), dtype="float32"),
        Case("on another device", lambda rng: _model(rng, 2), dtype="float32", probe="elsewhere"),
        Case("in training", lambda rng: replace(_model(rng, 2, k=1), training=True)),
        Case("as it is made", lambda rng: _fresh(), probe="fresh"),
        Case("on a device", lambda rng: _fresh(device="meta"), probe="fresh"),
        Case("three of the codes", lambda rng: _model(rng, 5, k=3), hidden=True),
    ),
    hint=(
        "`F.normalize(weight, dim=0)` divides columns by their lengths. In `__init__`, set the "
        "biases to 0, and copy the transposed directions into the encoder under `torch.no_grad`."
    ),
)

_FEATURES, _CODES = 2, 4


def _model(rng, *lead, k=None):
    return Call(
        init={"features": _FEATURES, "codes": _CODES, **({} if k is None else {"k": k})},
        state={
            "encoder.weight": few(rng, _CODES, _FEATURES),
            "encoder.bias": few(rng, _CODES) / 4,
            "decoder.weight": few(rng, _FEATURES, _CODES),
            "decoder.bias": few(rng, _FEATURES) / 2,
        },
        args={"x": few(rng, *lead, _FEATURES)},
    )


def _directions(rng):
    call = _model(rng)
    return Call(init=call.init, state=call.state, args={}, steps=(("directions", {}),))


def _codes(rng, k):
    call = _model(rng, 2, k=k)
    return Call(init=call.init, state=call.state, args={}, steps=(("encode", call.args),))


def _fresh(**init):
    return Call(args={}, init={"features": 5, "codes": 53, **init})
