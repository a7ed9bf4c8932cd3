"""`transformer.DecoderLayer`: what was said, what is to be translated, and a thought."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from grader.author.exercise import Call, Case, Exercise, Made
from grader.exercises.transformer import HEADS, LAYERS, attention, dense, norm, some


def _layer(rng, *batch, size=6, heads=3, hidden=11, length=5, memory=7, init=None, **args):
    init = {"bias": False} | (init or {})
    bias, layer_norm = init.get("bias", True), init.get("norm", "layer") == "layer"
    shaping = {k: v for k, v in init.items() if k in ("kv_heads", "qk_norm", "bias")}
    state = attention(rng, size, heads, **shaping, name="attention.")
    state |= attention(rng, size, heads, **shaping, name="cross.")
    for part in ("attention", "cross", "feed_forward"):
        state |= norm(rng, f"{part}_norm", size, bias=layer_norm)
    gated = init.get("activation") == "swiglu"
    for name in ("gate", "up") if gated else ("up",):
        state |= dense(rng, f"feed_forward.{name}", hidden, size, bias=bias and not gated)
    state |= dense(rng, "feed_forward.down", size, hidden, bias=bias and not gated)
    return Call(
        init={"embed_dim": size, "num_heads": heads, "hidden": hidden, **init},
        state=state,
        args={
            "x": 2 * rng.standard_normal((*batch, length, size)) + 0.5,
            "memory": 2 * rng.standard_normal((*batch, memory, size)) - 0.5,
            **args,
        },
    )


def _defaults(rng):
    call = _layer(rng, 2, init={"bias": True})
    return replace(call, init={"embed_dim": 6, "num_heads": 3, "hidden": 11})


def _cached(rng):
    """New positions behind four that are cached already."""
    kept = {name: rng.standard_normal((2, 3, 4, 2)) for name in ("key", "value")}
    return _layer(rng, 2, init={**_PRE, "rotary_base": 50.0}, cache=Made("kept keys", kept))


def _dropped(rng, part):
    """One part alone adds something."""
    init = {**_PRE, "dropout": round(float(rng.uniform(0.2, 0.6)), 3)}
    call = _layer(rng, 2, init=init)
    last = {"attention": "output", "cross": "output", "feed_forward": "down"}
    for other in last.keys() - {part}:
        call.state[f"{other}.{last[other]}.weight"][:] = 0.0
    return replace(call, args={"given": call.args, "around": "x"})


def _dropped_after(rng):
    """The norms come after, and change nothing: beside this eps the mean square is not seen."""
    init = {"norm": "rms", "eps": 1e12, "dropout": round(float(rng.uniform(0.2, 0.6)), 3)}
    call = _layer(rng, 2, length=3, memory=2, init=init)
    for part in ("attention", "cross"):
        call.state[f"{part}.output.weight"][:] = 0.0
    for part in ("attention", "cross", "feed_forward"):
        call.state[f"{part}_norm.weight"][:] = 1e6
    return replace(call, args={"given": call.args, "around": "x"})


def _from_nothing(rng):
    """One cache, which begins with nothing and grows from call to call."""
    init = {**_PRE, "rotary_base": 50.0}
    call = _layer(rng, 2, init=init)
    calls = [_layer(rng, 2, length=length).args for length in (3, 1, 2)]
    empty = np.zeros((2, 3, 0, 2))
    return replace(
        call, args={"calls": Made("one cache", {"calls": calls, "key": empty, "value": empty})}
    )


def _calls(rng):
    """Masks are there once, and then not."""
    call = _layer(rng, 2)
    padded = {"mask": np.arange(5) < np.array([[[3]], [[4]]]), "memory_mask": _PADDED}
    calls = [{**call.args, **padded}, _layer(rng, 2).args, _layer(rng, 2, length=3).args]
    return replace(call, args={"calls": calls})


_PRE = {"norm_first": True}
_NESTED = np.arange(3) < np.array([[[2]], [[3]]])[None]  # (1, 2, 1, 3)
_PADDED = np.arange(7) < np.array([[[4]], [[6]]])
_LATER = {
    "norm_first": True,
    "norm": "rms",
    "activation": "swiglu",
    "kv_heads": 3,
    "rotary_base": 50.0,
    "qk_norm": True,
}
XM = ("x", "memory")


def _values(call):
    """Its numbers alone: other cases look at gradients, and at what a call leaves behind."""
    return replace(call, args={"calls": [call.args]})


EXERCISE = Exercise(
    title="A decoder layer",
    section="decoder",
    cases=(
        Case("norms after", lambda rng: _layer(rng, 2), 3, grad=XM),
        Case(
            "two batch axes, the first of one",
            lambda rng: _values(_layer(rng, 1, 2, length=4, memory=3, memory_mask=_NESTED)),
            probe="calls",
        ),
        Case("norms first", lambda rng: _layer(rng, 2, init=_PRE), 3, grad=XM),
        Case(
            "as long as its memory, a mask for each query",
            lambda rng: _values(
                _layer(rng, 2, length=7, mask=some(rng, 2, 7, 7) | np.eye(7, dtype=bool))
            ),
            probe="calls",
            corner=False,
        ),
        Case("padding in the memory", lambda rng: _layer(rng, 2, memory_mask=_PADDED), 2, grad=XM),
        Case(
            "padding in a memory as long as what was said",
            lambda rng: _values(_layer(rng, 2, length=7, memory_mask=_PADDED)),
            probe="calls",
            corner=False,
        ),
        Case(
            "padding in what was said",
            lambda rng: _layer(rng, 2, init=_PRE, mask=np.arange(5) < np.array([[[3]], [[4]]])),
            grad=XM,
        ),
        Case(
            "both masks, as long as its memory",
            lambda rng: _values(
                _layer(
                    rng,
                    2,
                    length=7,
                    mask=np.arange(7) < np.array([[[5]], [[2]]]),
                    memory_mask=_PADDED,
                )
            ),
            probe="calls",
            corner=False,
        ),
        Case(
            "with later options",
            lambda rng: _layer(rng, 2, size=12, heads=6, hidden=7, init=_LATER),
            2,
            grad=XM,
        ),
        Case(
            "with GELU",
            lambda rng: _values(_layer(rng, 2, init={"activation": "gelu"})),
            probe="calls",
            corner=False,
        ),
        Case(
            "another eps",
            lambda rng: _values(_layer(rng, 2, init={"eps": 0.5})),
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
        Case("behind cached keys", lambda rng: _cached(rng), grad=XM),
        Case("a cache that begins with nothing", _from_nothing, probe="calls"),
        Case(
            "a norm that is not there",
            lambda rng: Call(init={**_layer(rng).init, "norm": "RMS"}),
            raises="ValueError",
        ),
        Case(
            "everything dropped, in training mode",
            lambda rng: _values(
                replace(_layer(rng, 2, init={"dropout": 1.0, "bias": True}), training=True)
            ),
            probe="calls",
            corner=False,
        ),
        Case(
            "everything dropped, norms first, in training mode",
            lambda rng: _values(
                replace(_layer(rng, 2, init={"dropout": 1.0, "bias": True, **_PRE}), training=True)
            ),
            probe="calls",
            corner=False,
        ),
        Case(
            "dropout of what self-attention adds",
            lambda rng: _dropped(rng, "attention"),
            probe="dropped",
        ),
        Case(
            "dropout of what cross-attention adds",
            lambda rng: _dropped(rng, "cross"),
            probe="dropped",
        ),
        Case(
            "dropout of what the feed-forward network adds",
            lambda rng: _dropped(rng, "feed_forward"),
            probe="dropped",
        ),
        Case("dropout, norms after", lambda rng: _dropped_after(rng), probe="dropped"),
        Case(
            "in training mode",
            lambda rng: _values(replace(_layer(rng, 2), training=True)),
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
            lambda rng: Call(args={}, init={"embed_dim": 66, "num_heads": 6, "hidden": 101}),
            probe="fresh",
        ),
        Case(
            "on a device",
            lambda rng: Call(
                args={}, init={"embed_dim": 6, "num_heads": 3, "hidden": 5, "device": "meta"}
            ),
            probe="fresh",
        ),
        Case(
            "with later options, at work on a device",
            lambda rng: replace(
                _layer(rng, 1, size=12, heads=6, length=2, memory=1, init=_LATER), state=None
            ),
            dtype="float32",
            probe="elsewhere",
        ),
        Case("several calls", lambda rng: _calls(rng), probe="calls"),
        Case(
            "padding in the memory, norms first",
            lambda rng: _layer(rng, 2, init=_PRE, memory_mask=_PADDED),
            hidden=True,
        ),
        Case("no batch", lambda rng: _layer(rng, init=_PRE), grad=XM, hidden=True, corner=True),
        Case(
            "a mask for each query of the memory",
            lambda rng: _layer(rng, 2, memory_mask=some(rng, 2, 5, 7)),
            grad=XM,
            hidden=True,
        ),
    ),
    hint=(
        "Three parts of one form: self-attention, which is causal; cross-attention, whose keys and "
        "values come from the memory, unchanged; feed-forward."
    ),
    forbidden=LAYERS,
    needs=(
        *HEADS,
        "MultiHeadAttention",
        "FeedForward",
        "RMSNorm",
        "rotary",
        "_for_heads",
        "_norm",
        "_feed_forward",
        "_residual",
    ),
)
