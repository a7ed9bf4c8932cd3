"""`bert.BERT`: the whole model."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from grader.author.exercise import Call, Case, Exercise
from grader.author.parameters import few_bits
from grader.exercises.bert import PAD, VOCABULARY, rows, segments
from grader.exercises.transformer import attention, dense, norm


def _values(call):
    """Its numbers alone: other cases look at gradients, and at what a call leaves behind."""
    return replace(call, args={"calls": [call.args]})


EXERCISE = Exercise(
    title="BERT",
    section="whole-bert",
    cases=(
        Case("two layers", lambda rng: _model(rng, [(5, 3), (2, 4)], 11), 4),
        Case(
            "with padding, as long as can be",
            lambda rng: _values(_model(rng, [(8, 6), (2, 1), (1, 2)], 17, num_layers=1)),
            4,
            probe="calls",
            corner=False,
        ),
        Case("no segments given", lambda rng: _alone(rng), 2),
        Case("what each layer has", lambda rng: _by("states", _model(rng, [(5, 3), (2,)], 11)), 2),
        Case(
            "what its heads look at", lambda rng: _by("weights", _model(rng, [(4, 3), (2,)], 10)), 2
        ),
        Case(
            "another number of [PAD], another eps",
            lambda rng: _values(_zero(rng)),
            probe="calls",
            corner=False,
        ),
        Case(
            "everything dropped, in float32",
            lambda rng: _values(
                replace(_model(rng, [(5, 3)], 11, dropout=1.0, num_layers=1), training=True)
            ),
            dtype="float32",
            probe="calls",
            corner=False,
        ),
        Case(
            "in float32, in training mode",
            lambda rng: _values(
                replace(_model(rng, [(5, 3), (2,)], 11, num_layers=1), training=True)
            ),
            dtype="float32",
            probe="calls",
        ),
        Case(
            "all dropped, after the weights",
            lambda rng: _after(rng),
            dtype="float32",
        ),
        Case(
            "dropout of the embeddings",
            lambda rng: _by_half(rng, "states", 0),
            probe="dropped",
        ),
        Case(
            "dropout of the embeddings, before the heads",
            lambda rng: _by_half(rng, "", 1),
            probe="dropped",
        ),
        Case("several calls", lambda rng: _calls(rng), probe="calls"),
        Case("as it is made", lambda rng: _fresh(), 2, probe="fresh"),
        Case(
            "another spread", lambda rng: _fresh(num_layers=1, std=0.3, dropout=0.5), probe="fresh"
        ),
        Case(
            "[PAD] alone, as it is made",
            lambda rng: _fresh(vocabulary=1, pad=0, num_layers=1),
            probe="fresh",
        ),
        Case(
            "at work on a device, no segments given",
            lambda rng: _at_work(rng),
            dtype="float32",
            probe="elsewhere",
        ),
        Case(
            "three layers", lambda rng: _model(rng, [(6, 4), (1,)], 14, num_layers=3), hidden=True
        ),
        Case(
            "three layers, their heads",
            lambda rng: _by("weights", _model(rng, [(6, 4), (1,)], 14, num_layers=3)),
            hidden=True,
        ),
    ),
    tolerance=1e-7,
    hint=(
        "`states` does the work: embeddings, then layer after layer with the mask of the keys. "
        "`forward` gives the last of them to both heads."
    ),
    needs=("BertEmbeddings", "MaskedHead", "Pooler", "key_mask"),
    returns=("the logits of the tokens", "the logits of the pair"),
)

SIZES = {"embed_dim": 6, "num_heads": 2, "num_layers": 2, "hidden": 7, "longest": 17}


def _model(rng, lengths, longest, **init):
    init = {"vocabulary": VOCABULARY, **SIZES, "pad": PAD, **init}
    tokens = rows(rng, lengths, longest)
    state = {
        "embeddings.words.weight": rng.standard_normal((VOCABULARY, 6)),
        "embeddings.positions.weight": rng.standard_normal((17, 6)),
        "embeddings.segments.weight": rng.standard_normal((2, 6)),
        **norm(rng, "embeddings.norm", 6),
    }
    for number in range(init["num_layers"]):
        layer = attention(rng, 6, 2, name="attention.")
        layer |= norm(rng, "attention_norm", 6) | norm(rng, "feed_forward_norm", 6)
        layer |= dense(rng, "feed_forward.up", 7, 6) | dense(rng, "feed_forward.down", 6, 7)
        state |= {f"encoder.layers.{number}.{key}": value for key, value in layer.items()}
    state |= dense(rng, "pooler.dense", 6, 6) | dense(rng, "masked.transform", 6, 6)
    state |= norm(rng, "masked.norm", 6) | {"masked.bias": rng.standard_normal(VOCABULARY)}
    state |= dense(rng, "next", 2, 6)
    args = {"tokens": tokens, "segments": segments(tokens)}
    return Call(init=init, state=few_bits(state), args=args)


def _alone(rng):
    call = _model(rng, [(5,), (3,)], 8, num_layers=1)
    tokens = {"tokens": call.args["tokens"]}
    return replace(call, args={}, steps=(("", tokens), ("states", tokens), ("weights", tokens)))


def _at_work(rng):
    call = _model(rng, [(1,)], 3, num_layers=1, device="meta")
    return replace(call, args={"tokens": call.args["tokens"]}, state=None)


def _zero(rng):
    call = _model(rng, [(5, 3), (2, 1)], 12, pad=0, eps=0.5, num_layers=1)
    tokens = (call.args["tokens"] - PAD) % VOCABULARY  # [PAD] is 0 now
    return replace(call, args={"tokens": tokens, "segments": call.args["segments"]})


def _by(method, call):
    """Call another method."""
    return replace(call, args={}, steps=((method, call.args),))


def _after(rng):
    """Asked for its weights, a model in training mode stays in it."""
    call = replace(_model(rng, [(5, 3)], 11, dropout=1.0, num_layers=1), training=True)
    return replace(call, args={}, steps=(("weights", call.args), ("", call.args)))


def _by_half(rng, method, item):
    """Half of the embeddings dropped, no layer behind them, and a pooler and a head for the pair
    that show one feature of [CLS]: tanh of numbers so small is the number itself.
    """
    call = _model(rng, [(5, 3)] * 31, 11, dropout=0.5, num_layers=0)
    shown = np.zeros((2, 6))
    shown[:, 2] = 1.0, -2.0
    state = call.state | {
        "pooler.dense.weight": 2.0**-14 * np.eye(6),
        "pooler.dense.bias": np.zeros(6),
        "next.weight": shown,
        "next.bias": np.zeros(2),
    }
    seen = {"given": call.args, "around": None, "method": method, "item": item}
    return replace(call, args=seen, state=state)


def _calls(rng):
    call = _model(rng, [(5, 3), (2,)], 11, num_layers=1)
    others = [
        _model(rng, [(3, 1), (6, 2)], 11).args,
        _model(rng, [(2, 2)], 7).args,
        _model(rng, [(7, 1), (3, 3), (4,)], 13).args,
    ]
    del others[1]["segments"]  # then they are 0, whatever they were before
    return replace(call, args={"calls": [call.args, *others]})


def _fresh(**init):
    sizes = {"embed_dim": 24, "num_heads": 4, "hidden": 60, "longest": 37, "num_layers": 2}
    return Call(args={}, init={"vocabulary": 53, "pad": 50, **sizes, **init})
