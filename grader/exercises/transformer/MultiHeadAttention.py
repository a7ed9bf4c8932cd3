"""`transformer.MultiHeadAttention`: several heads as a layer, and three later options."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from grader.author.exercise import Call, Case, Exercise, Made
from grader.exercises.transformer import HEADS, PADDED, READY_MADE, attention, some


def _layer(rng, *batch, heads=3, d_k=2, length=7, memory=None, init=None, **args):
    """A layer with parameters, and x; the options of the constructor in ``init``."""
    init = {"bias": False} | (init or {})
    size = heads * d_k
    shaping = {k: v for k, v in init.items() if k in ("kv_heads", "qk_norm", "bias")}
    made = {"query": rng.standard_normal((*batch, length, size))}
    if memory:
        made["memory"] = rng.standard_normal((*batch, memory, size))
    state = attention(rng, size, heads, **shaping)
    return Call(
        init={"embed_dim": size, "num_heads": heads, **init},
        state=_fewer_bits(state),
        args=_fewer_bits(made) | args,
    )


def _fewer_bits(arrays):
    """Rounded to multiples of 2⁻⁸, which compress well: this record is the largest."""
    return {name: np.round(256 * value) / 256 for name, value in arrays.items()}


def _modern(rng, *batch, **args):
    init = {"kv_heads": 2, "rotary_base": 100.0, "qk_norm": True}
    return _layer(rng, *batch, heads=4, d_k=4, init=init, **args)


_WEIGHED = {"is_causal": True, "need_weights": True}


def _low(rng):
    """Scores of −10³⁸ and less, no two of a query near to each other; padding is masked. With heads
    of size 1 nothing of them is rounded: else the gradient of torch's fused attention is NaN, or
    far from 0, on processors that add in another order or round once where others round twice."""
    call = _layer(rng, 2, heads=6, d_k=1, is_causal=True, mask=PADDED)
    sizes = {"query.weight": -(2.0**66), "key.weight": 2.0**66}
    state = {
        name: sizes[name] * (np.abs(weight) + 0.25) if name in sizes else weight
        for name, weight in call.state.items()
    }
    args = {**call.args, "query": np.abs(call.args["query"]) + 0.25}
    return replace(call, state=state, args=args)


def _all_at_once(rng):
    """Cached keys, rates of turning, a mask and the weights."""
    call = _cached(rng, rotary_base=[0.7, 0.02])
    mask = np.arange(7) >= np.array([[[2]], [[1]]])
    return replace(call, args={**call.args, "mask": mask, "need_weights": True})


def _cached(rng, length=3, kept=4, **init):
    """New positions behind four that are cached already."""
    shape = (2, init.get("kv_heads", 3), kept, 4)
    given = {name: rng.standard_normal(shape) for name in ("key", "value")}
    cache = Made("kept keys", _fewer_bits(given))
    heads = 4 if "kv_heads" in init else 3
    return _layer(rng, 2, heads=heads, d_k=4, length=length, init=init, is_causal=True, cache=cache)


def _calls(rng):
    call = _layer(rng, 2)
    calls = [
        {**_layer(rng, 2, length=length).args, "is_causal": causal}
        for length, causal in ((7, True), (5, True), (7, False), (11, True))
    ]
    return replace(call, args={"calls": calls})


def _masked(rng):
    """Masks of one call, and of no other."""
    call = _layer(rng, 2)
    masks = ({"mask": PADDED}, {}, {"mask": PADDED[::-1].copy()})
    calls = [{**_layer(rng, 2).args, "is_causal": True, **mask} for mask in masks]
    shorter = {**_layer(rng, 2, length=5).args, "mask": some(rng, 2, 5, 5), "is_causal": True}
    return replace(call, args={"calls": [*calls, {**_layer(rng, 2).args}, shorter]})


def _uncached(rng):
    """A cache is given once, and is nothing of the layer's own."""
    call = _cached(rng)
    return replace(call, args={"calls": [call.args, _cached(rng).args | {"cache": None}]})


def _from_nothing(rng):
    """One cache, which begins with nothing and grows from call to call."""
    init = {"rotary_base": 50.0}
    call = _layer(rng, 2, d_k=4, init=init)
    calls = [_layer(rng, 2, d_k=4, length=length, is_causal=True).args for length in (3, 1, 2)]
    empty = np.zeros((2, 3, 0, 4))
    return replace(
        call, args={"calls": Made("one cache", {"calls": calls, "key": empty, "value": empty})}
    )


def _alone(rng, *, need_weights=False, **init):
    mask = some(rng, 2, 7, 7)
    mask[0, 1] = mask[1, 4] = False
    asked = {"need_weights": True} if need_weights else {}
    return _layer(rng, 2, mask=mask, init=init, **asked)


def _defaults(rng):
    call = _layer(rng, 2, init={"bias": True})
    return replace(call, init={"embed_dim": 6, "num_heads": 3})


def _fresh(**init):
    return Call(args={}, init=init)


Q, QM = ("query",), ("query", "memory")


def _values(call):
    """Its numbers alone: other cases look at gradients, and at what a call leaves behind."""
    return replace(call, args={"calls": [call.args]})


EXERCISE = Exercise(
    title="Multi-head attention as a module",
    section="multi-head-layer",
    cases=(
        Case("self-attention", lambda rng: _layer(rng, 2), 3, grad=Q),
        Case(
            "allowed scores far below zero",
            lambda rng: _values(_low(rng)),
            probe="calls",
        ),
        Case("to a memory", lambda rng: _layer(rng, 2, memory=5), 2, grad=QM),
        Case(
            "a memory as long as the queries",
            lambda rng: _values(_layer(rng, 2, memory=7)),
            probe="calls",
            corner=False,
        ),
        Case("a padding mask", lambda rng: _layer(rng, 2, mask=PADDED), grad=Q),
        Case("causal", lambda rng: _layer(rng, 2, is_causal=True), 2, grad=Q),
        Case(
            "causal, with a padding mask",
            lambda rng: _values(_layer(rng, 2, mask=PADDED, is_causal=True)),
            probe="calls",
            corner=False,
        ),
        Case(
            "causal, the last queries of a longer memory",
            lambda rng: _values(_layer(rng, 2, length=3, memory=7, is_causal=True)),
            probe="calls",
            corner=False,
        ),
        Case("a query whose every key is masked", _alone, grad=Q, corner=True),
        Case(
            "a query without a key, and biases",
            lambda rng: _values(_alone(rng, bias=True)),
            probe="calls",
        ),
        Case(
            "several batch axes, a mask for each",
            lambda rng: _values(_layer(rng, 2, 3, mask=some(rng, 2, 3, 7, 7))),
            probe="calls",
        ),
        Case("with the weights", lambda rng: _layer(rng, 2, need_weights=True), 2, grad=Q),
        Case(
            "with the weights, causal",
            lambda rng: _values(_layer(rng, 2, is_causal=True, need_weights=True)),
            probe="calls",
            corner=False,
        ),
        Case(
            "with the weights, a query without a key",
            lambda rng: _alone(rng, need_weights=True),
            grad=Q,
            corner=True,
        ),
        Case(
            "with the weights, causal and padded",
            lambda rng: _values(_layer(rng, 2, mask=PADDED, is_causal=True, need_weights=True)),
            probe="calls",
            corner=False,
        ),
        Case(
            "as many sequences as heads",
            lambda rng: _values(_layer(rng, 3, mask=some(rng, 3, 7, 7))),
            probe="calls",
            corner=False,
        ),
        Case(
            "with biases",
            lambda rng: _values(_layer(rng, 2, init={"bias": True})),
            probe="calls",
            corner=False,
        ),
        Case(
            "with its defaults",
            lambda rng: _values(_defaults(rng)),
            probe="calls",
            corner=False,
        ),
        Case(
            "grouped queries",
            lambda rng: _layer(rng, 2, heads=6, init={"kv_heads": 2}),
            2,
            grad=Q,
        ),
        Case(
            "normalized queries and keys",
            lambda rng: _layer(rng, 2, d_k=5, init={"qk_norm": True}),
            2,
            grad=Q,
        ),
        Case(
            "rotary positions",
            lambda rng: _layer(rng, 2, d_k=4, init={"rotary_base": 100.0}),
            2,
            grad=Q,
        ),
        Case(
            "rates as given",
            lambda rng: _values(_layer(rng, 2, d_k=4, init={"rotary_base": [0.7, 0.02]})),
            probe="calls",
            corner=False,
        ),
        Case(
            "rotary positions, to a longer memory",
            lambda rng: _values(
                _layer(rng, 2, heads=1, d_k=4, length=3, memory=5, init={"rotary_base": 50.0})
            ),
            probe="calls",
        ),
        Case(
            "grouped queries, with the weights",
            lambda rng: _values(
                _layer(rng, 2, heads=2, length=4, init={"kv_heads": 1}, need_weights=True)
            ),
            probe="calls",
        ),
        Case("all three, causal", lambda rng: _modern(rng, 2, is_causal=True), 2, grad=Q),
        Case(
            "all three, to a memory",
            lambda rng: _values(_modern(rng, 2, memory=5)),
            probe="calls",
            corner=False,
        ),
        Case(
            "behind cached keys, padded, with the weights",
            lambda rng: _values(_all_at_once(rng)),
            probe="calls",
            corner=False,
        ),
        Case("behind cached keys", lambda rng: _cached(rng), grad=Q),
        Case(
            "turned, behind cached keys",
            lambda rng: _values(_cached(rng, rotary_base=50.0)),
            2,
            probe="calls",
            corner=False,
        ),
        Case("several calls", _calls, probe="calls"),
        Case("several masks", _masked, probe="calls"),
        Case("a cache in one call, none in the next", _uncached, probe="calls"),
        Case("a cache that begins with nothing", _from_nothing, probe="calls"),
        Case(
            "no batch",
            lambda rng: _values(
                _layer(rng, mask=some(rng, 7, 7), is_causal=True, init={"rotary_base": 100.0})
            ),
            probe="calls",
        ),
        Case(
            "heads that do not divide",
            lambda rng: _fresh(embed_dim=6, num_heads=4),
            raises="ValueError",
        ),
        Case(
            "groups that do not divide",
            lambda rng: _fresh(embed_dim=6, num_heads=3, kv_heads=2),
            raises="ValueError",
        ),
        Case(
            "more heads of keys than of queries",
            lambda rng: _fresh(embed_dim=6, num_heads=3, kv_heads=6),
            raises="ValueError",
        ),
        Case(
            "in training mode",
            lambda rng: _values(replace(_layer(rng, 2), training=True)),
            probe="calls",
            corner=False,
        ),
        Case(
            "with the weights, in training mode",
            lambda rng: _values(replace(_layer(rng, 2, need_weights=True), training=True)),
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
            "as it is made",
            lambda rng: _fresh(embed_dim=66, num_heads=6, kv_heads=2, qk_norm=True),
            probe="fresh",
        ),
        Case(
            "without options, as it is made",
            lambda rng: _fresh(embed_dim=66, num_heads=6),
            probe="fresh",
            hidden=True,
        ),
        Case(
            "on a device",
            lambda rng: _fresh(embed_dim=6, num_heads=3, qk_norm=True, device="meta"),
            probe="fresh",
        ),
        Case(
            "at work on a device",
            lambda rng: replace(_modern(rng, 2, length=3, **_WEIGHED), state=None),
            dtype="float32",
            probe="elsewhere",
        ),
        Case(
            "all three, with weights", lambda rng: _modern(rng, 2, need_weights=True), hidden=True
        ),
        Case(
            "one new position behind cached keys, in groups",
            lambda rng: _values(_cached(rng, length=1, kv_heads=2, rotary_base=50.0, qk_norm=True)),
            probe="calls",
            corner=False,
        ),
        Case(
            "a mask of one row",
            lambda rng: _values(_layer(rng, 2, mask=np.arange(7) < 4)),
            probe="calls",
        ),
    ),
    hint=(
        "Project and split; normalize; rotate; put cached keys first; repeat heads; attend; merge; "
        "project. If the values are an identity matrix, attention returns its weights."
    ),
    forbidden=READY_MADE,
    needs=(*HEADS, "RMSNorm", "rotary", "_for_heads"),
    returns=("the output", "the weights"),
)
