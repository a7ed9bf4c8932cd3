"""`self_attention.SelfAttention`: self-attention as a layer."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from grader.author.exercise import Call, Case, Exercise
from grader.exercises.self_attention import READY_MADE


def _layer(rng, *batch, causal=False, bias=False, mask=None, positions=11, d_v=7):
    """A layer from 5 features to values of 7, through queries and keys of 3."""
    sizes = {"query": 3, "key": 3, "value": d_v}
    state = {f"{name}.weight": 0.5 * rng.standard_normal((size, 5)) for name, size in sizes.items()}
    if bias:
        state |= {f"{name}.bias": 0.3 * rng.standard_normal(size) for name, size in sizes.items()}
    args = {"x": 0.7 * rng.standard_normal((*batch, positions, 5))}
    return Call(
        init={"embed_dim": 5, "d_k": 3, "d_v": d_v, "causal": causal, "bias": bias},
        state=state,
        args=args if mask is None else {**args, "mask": mask},
    )


def _plain(rng):
    call = _layer(rng, 2)
    return replace(call, init={"embed_dim": 5, "d_k": 3, "d_v": 7})


def _calls(rng):
    """One causal layer on batches with masks of their own, without one, and of other lengths."""
    call = _layer(rng, causal=True)
    calls = [
        {**_layer(rng, 2).args, "mask": np.arange(11) < np.array([[[4]], [[9]]])},
        {**_layer(rng, 2).args, "mask": np.arange(11) < np.array([[[7]], [[2]]])},
        _layer(rng, 2).args,
        _layer(rng, positions=13).args,
        _layer(rng, positions=5).args,
    ]
    return replace(call, args={"calls": calls})


def _low(rng):
    """All scores are near −10⁴⁰, and no two of a query are near to each other."""
    call = _layer(rng, 2, causal=True, mask=_PADDED)
    state = {name: np.abs(weight) for name, weight in call.state.items()}
    state["query.weight"], state["key.weight"] = (
        sign * 1e20 * (0.5 + state[name])
        for name, sign in (("query.weight", -1), ("key.weight", 1))
    )
    return replace(call, state=state, args={**call.args, "x": 0.5 + np.abs(call.args["x"])})


_PADDED = np.arange(11) < np.array([[[4]], [[9]]])


def _values(call):
    """Its numbers alone: other cases look at gradients, and at what a call leaves behind."""
    return replace(call, args={"calls": [call.args]})


EXERCISE = Exercise(
    title="Self-attention as a layer",
    section="self-attention-layer",
    hint=(
        "Three `nn.Linear` in the constructor. In `forward`, combine the two masks if there are "
        "two, then call what you have written already."
    ),
    forbidden=READY_MADE,
    needs=("scaled_dot_product_attention", "causal_mask", "additive_mask"),
    cases=(
        Case("a batch", lambda rng: _layer(rng, 2), 2, grad=("x",)),
        Case("causal", lambda rng: _layer(rng, 2, causal=True), grad=("x",)),
        Case("a padding mask", lambda rng: _layer(rng, 2, mask=_PADDED), grad=("x",)),
        Case(
            "causal, with a padding mask",
            lambda rng: _layer(rng, 2, causal=True, mask=_PADDED),
            grad=("x",),
        ),
        Case(
            "causal, over more positions",
            lambda rng: _values(_layer(rng, causal=True, positions=19)),
            probe="calls",
            corner=False,
        ),
        Case(
            "two batch axes, a mask for each sequence",
            lambda rng: _layer(rng, 2, 3, causal=True, mask=rng.random((2, 3, 1, 11)) < 0.7),
            grad=("x",),
            corner=True,
        ),
        Case(
            "causal, and a mask for all sequences",
            lambda rng: _values(_layer(rng, 2, causal=True, mask=rng.random((11, 11)) < 0.7)),
            probe="calls",
            corner=False,
        ),
        Case(
            "as many values as features",
            lambda rng: _values(_layer(rng, 2, d_v=5)),
            probe="calls",
            corner=False,
        ),
        Case(
            "with its defaults",
            lambda rng: _values(_plain(rng)),
            probe="calls",
            corner=False,
        ),
        Case(
            "with biases",
            lambda rng: _values(_layer(rng, bias=True, positions=3)),
            probe="calls",
            corner=False,
        ),
        Case(
            "allowed scores far below zero",
            lambda rng: _values(_low(rng)),
            probe="calls",
        ),
        Case("several calls", lambda rng: _calls(rng), 2, probe="calls"),
        Case(
            "on a device",
            lambda rng: Call(args={}, init={"embed_dim": 5, "d_k": 3, "d_v": 2, "device": "meta"}),
            probe="fresh",
        ),
        Case(
            "at work on a device",
            lambda rng: replace(_layer(rng, 2, causal=True, positions=3), state=None),
            dtype="float32",
            probe="elsewhere",
        ),
        Case(
            "as it is made",
            lambda rng: Call(
                args={},
                init={"embed_dim": 89, "d_k": 61, "d_v": 31, "bias": True},
            ),
            probe="fresh",
        ),
        Case(
            "causal, in training mode",
            lambda rng: _values(replace(_layer(rng, 2, causal=True), training=True)),
            probe="calls",
            corner=False,
        ),
        Case(
            "in float32",
            lambda rng: _values(_layer(rng, 2)),
            dtype="float32",
            probe="calls",
        ),
        Case(
            "no batch", lambda rng: _layer(rng, positions=13), grad=("x",), hidden=True, corner=True
        ),
        Case(
            "causal, and a mask that leaves some queries nothing",
            lambda rng: _layer(rng, 2, causal=True, mask=np.arange(11) >= np.array([[[2]], [[5]]])),
            grad=("x",),
            hidden=True,
            corner=True,
        ),
        Case("values of one number", lambda rng: _layer(rng, 2, d_v=1), hidden=True, corner=True),
        Case(
            "one position",
            lambda rng: _layer(rng, 2, positions=1),
            grad=("x",),
            hidden=True,
            corner=True,
        ),
    ),
)
