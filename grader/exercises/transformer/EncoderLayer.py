"""`transformer.EncoderLayer`: attention, then thought, each around a residual connection."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from grader.author.exercise import Call, Case, Exercise, Made
from grader.exercises.transformer import HEADS, LAYERS, PADDED, attention, dense, norm


def _layer(rng, *batch, size=6, heads=3, hidden=11, length=7, init=None, **args):
    init = {"bias": False} | (init or {})
    bias, layer_norm = init.get("bias", True), init.get("norm", "layer") == "layer"
    shaping = {k: v for k, v in init.items() if k in ("kv_heads", "qk_norm", "bias")}
    state = attention(rng, size, heads, **shaping, name="attention.")
    state |= norm(rng, "attention_norm", size, bias=layer_norm)
    if hidden:
        state |= norm(rng, "feed_forward_norm", size, bias=layer_norm)
        gated = init.get("activation") == "swiglu"
        for name in ("gate", "up") if gated else ("up",):
            state |= dense(rng, f"feed_forward.{name}", hidden, size, bias=bias and not gated)
        state |= dense(rng, "feed_forward.down", size, hidden, bias=bias and not gated)
    return Call(
        init={"embed_dim": size, "num_heads": heads, "hidden": hidden, **init},
        state=state,
        args={"x": 2 * rng.standard_normal((*batch, length, size)) + 0.5, **args},
    )


def _defaults(rng):
    call = _layer(rng, 2, init={"bias": True})
    return replace(call, init={"embed_dim": 6, "num_heads": 3, "hidden": 11})


def _cached(rng, **more):
    """New positions behind four that are cached already."""
    kept = {name: rng.standard_normal((2, 3, 4, 2)) for name in ("key", "value")}
    settings = {"cache": Made("kept keys", kept), "is_causal": True, **more}
    return _layer(rng, 2, init={**_PRE, "rotary_base": 50.0}, **settings)


def _from_nothing(rng):
    """One cache, which begins with nothing and grows from call to call."""
    init = {**_PRE, "rotary_base": 50.0}
    call = _layer(rng, 2, init=init)
    calls = [_layer(rng, 2, length=length, is_causal=True).args for length in (3, 1, 2)]
    empty = np.zeros((2, 3, 0, 2))
    return replace(
        call, args={"calls": Made("one cache", {"calls": calls, "key": empty, "value": empty})}
    )


def _calls(rng):
    """A mask is there once, and then not; so it is with the past alone."""
    call = _layer(rng, 2)
    given = ({"mask": PADDED}, {}, {"is_causal": True}, {})
    calls = [{**_layer(rng, 2).args, **more} for more in given]
    return replace(call, args={"calls": calls})


_PRE = {"norm_first": True}
_NESTED = np.arange(4) < np.array([[[2]], [[4]]])[None]  # (1, 2, 1, 4)
_MODERN = {
    "norm_first": True,
    "norm": "rms",
    "activation": "swiglu",
    "kv_heads": 2,
    "rotary_base": 100.0,
    "qk_norm": True,
}


def _dropped(rng, hidden=0):
    """One part alone adds something: the attention, or else the feed-forward network."""
    init = {**_PRE, "dropout": round(float(rng.uniform(0.2, 0.6)), 3)}
    call = _layer(rng, 2, hidden=hidden, init=init)
    if hidden:
        call.state["attention.output.weight"][:] = 0.0
    return replace(call, args={"given": call.args, "around": "x"})


def _dropped_after(rng):
    """The norms come after, and change nothing: beside this eps the mean square is not seen."""
    init = {"norm": "rms", "eps": 1e12, "dropout": round(float(rng.uniform(0.2, 0.6)), 3)}
    call = _layer(rng, 2, length=3, init=init)
    call.state["attention.output.weight"][:] = 0.0
    for part in ("attention", "feed_forward"):
        call.state[f"{part}_norm.weight"][:] = 1e6
    return replace(call, args={"given": call.args, "around": "x"})


def _fresh(**init):
    return Call(args={}, init={"embed_dim": 66, "num_heads": 6, "hidden": 101, **init})


def _values(call):
    """Its numbers alone: other cases look at gradients, and at what a call leaves behind."""
    return replace(call, args={"calls": [call.args]})


EXERCISE = Exercise(
    title="An encoder layer",
    section="block",
    cases=(
        Case("norms after", lambda rng: _layer(rng, 2), 3, grad=("x",)),
        Case(
            "two batch axes, the first of one",
            lambda rng: _values(_layer(rng, 1, 2, length=4, mask=_NESTED)),
            probe="calls",
        ),
        Case("norms first", lambda rng: _layer(rng, 2, init=_PRE), 3, grad=("x",)),
        Case("a padding mask", lambda rng: _layer(rng, 2, mask=PADDED), grad=("x",)),
        Case(
            "causal, with a padding mask",
            lambda rng: _values(_layer(rng, 2, mask=PADDED, is_causal=True)),
            probe="calls",
            corner=False,
        ),
        Case("several calls", lambda rng: _calls(rng), probe="calls"),
        Case(
            "causal, norms first",
            lambda rng: _values(_layer(rng, 2, init=_PRE, is_causal=True)),
            probe="calls",
            corner=False,
        ),
        Case(
            "with its weights",
            lambda rng: _layer(rng, 2, init=_PRE, mask=PADDED, is_causal=True, need_weights=True),
            grad=("x",),
        ),
        Case(
            "with GELU",
            lambda rng: _values(_layer(rng, 2, init={"activation": "gelu"})),
            probe="calls",
            corner=False,
        ),
        Case(
            "with ReLU squared",
            lambda rng: _layer(rng, 2, init={"activation": "relu2"}),
            hidden=True,
        ),
        Case("without feed-forward", lambda rng: _layer(rng, 2, hidden=0), grad=("x",)),
        Case(
            "without feed-forward, norms first",
            lambda rng: _values(_layer(rng, 2, hidden=0, init=_PRE)),
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
        Case("behind cached keys", lambda rng: _cached(rng), grad=("x",)),
        Case(
            "behind cached keys, with its weights, without feed-forward",
            lambda rng: _values(
                _cached(
                    rng, need_weights=True, hidden=0, mask=np.arange(11) >= np.array([[[2]], [[1]]])
                )
            ),
            probe="calls",
            corner=False,
        ),
        Case("a cache that begins with nothing", _from_nothing, probe="calls"),
        Case(
            "as since 2023",
            lambda rng: _layer(rng, 2, size=12, heads=6, hidden=7, init=_MODERN, is_causal=True),
            2,
            grad=("x",),
        ),
        Case(
            "a norm that is not there",
            lambda rng: Call(init={**_layer(rng).init, "norm": "RMS"}),
            raises="ValueError",
        ),
        Case(
            "dropout, in evaluation mode",
            lambda rng: _values(_layer(rng, 2, init={"dropout": 0.5})),
            probe="calls",
            corner=False,
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
                replace(
                    _layer(rng, 2, init={"dropout": 1.0, "norm": "rms", "bias": True, **_PRE}),
                    training=True,
                )
            ),
            probe="calls",
            corner=False,
        ),
        Case(
            "everything dropped but the weights, in training mode",
            lambda rng: _values(
                replace(
                    _layer(rng, 2, length=3, hidden=0, init={"dropout": 1.0}, need_weights=True),
                    training=True,
                )
            ),
            probe="calls",
        ),
        Case("dropout of what attention adds", lambda rng: _dropped(rng), probe="dropped"),
        Case(
            "dropout of what the feed-forward network adds",
            lambda rng: _dropped(rng, hidden=11),
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
            "a norm that is not needed",
            lambda rng: Call(
                init={"embed_dim": 2, "num_heads": 1, "hidden": 0},
                steps=(("feed_forward", None), ("feed_forward_norm", None)),
            ),
            probe="steps",
            corner=True,
        ),
        Case(
            "in float32",
            lambda rng: _values(_layer(rng, 2)),
            dtype="float32",
            probe="calls",
        ),
        Case("as it is made", lambda rng: _fresh(), probe="fresh"),
        Case("on a device", lambda rng: _fresh(device="meta"), probe="fresh"),
        Case(
            "as since 2023, on a device",
            lambda rng: _fresh(**_MODERN, device="meta"),
            probe="fresh",
        ),
        Case("no batch", lambda rng: _layer(rng, init=_PRE), grad=("x",), hidden=True, corner=True),
        Case(
            "as since 2023, as it is made",
            lambda rng: _fresh(**_MODERN),
            probe="fresh",
            hidden=True,
        ),
    ),
    hint=(
        "Write the two formulas for one part, and use them twice. The result of the branch is "
        "always added to the stream as it came in, before any norm of this part."
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
    returns=("the output", "the weights"),
)
