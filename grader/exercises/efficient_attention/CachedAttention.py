"""`efficient_attention.CachedAttention`: attention that goes on from a cache."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from grader.author.exercise import Call, Case, Exercise, Returned
from grader.author.parameters import few_bits
from grader.exercises.efficient_attention import READY_MADE


def _state(rng, embed_dim, heads, key_heads):
    shared = embed_dim // heads * key_heads
    shapes = {"query": embed_dim, "key": shared, "value": shared, "out": embed_dim}
    return few_bits(
        {
            f"{name}.weight": 0.5 * rng.standard_normal((rows, embed_dim))
            for name, rows in shapes.items()
        }
    )


def _at_once(rng, *, embed_dim=12, heads=6, key_heads=None, length=7, batch=2, **window):
    given = {} if key_heads is None else {"key_heads": key_heads}
    return Call(
        init={"embed_dim": embed_dim, "heads": heads, **given, **window},
        state=_state(rng, embed_dim, heads, key_heads or heads),
        args={"x": rng.standard_normal((batch, length, embed_dim))},
    )


def _low(rng):
    """Scores of −10⁴⁰ and less, no two of a query near to each other."""
    call = _at_once(rng, key_heads=2)
    sizes = {"query.weight": -1e20, "key.weight": 1e20}
    state = {
        name: sizes[name] * (np.abs(weight) + 0.2) if name in sizes else weight
        for name, weight in call.state.items()
    }
    return replace(call, state=state, args={"x": np.abs(call.args["x"]) + 0.2})


def _in_parts(rng, *lengths, embed_dim=12, heads=6, key_heads=2, **window):
    steps = []
    for index, length in enumerate(lengths):
        args = {"x": rng.standard_normal((2, length, embed_dim))}
        if index:
            args["cache"] = Returned(index - 1, 1)
        steps.append(("", args))
    return Call(
        init={"embed_dim": embed_dim, "heads": heads, "key_heads": key_heads, **window},
        state=_state(rng, embed_dim, heads, key_heads),
        steps=tuple(steps),
    )


def _from_nothing(rng):
    """A cache that is there and holds nothing yet."""
    call = _in_parts(rng, 3, 1, 2)
    (name, args), *others = call.steps
    empty = [np.zeros((2, 2, 0, 2))] * 2
    return replace(call, steps=((name, {**args, "cache": empty}), *others))


def _anew(rng):
    """A call without a cache starts a sequence: a layer keeps nothing of the last one."""
    call = _at_once(rng, key_heads=2)
    others = [_at_once(rng, length=length).args for length in (1, 3, 1)]
    others[0]["cache"] = [rng.standard_normal((2, 2, 3, 2)) for _ in range(2)]
    return replace(call, args={"calls": [call.args, *others]})


def _values(call):
    """Its numbers alone: other cases look at gradients, and at what a call leaves behind."""
    return replace(call, args={"calls": [call.args]})


EXERCISE = Exercise(
    title="Attention with a KV cache",
    section="cache",
    cases=(
        Case("as many heads of keys", lambda rng: _at_once(rng), 2, grad=("x",)),
        Case("keys shared by groups", lambda rng: _at_once(rng, key_heads=2), 2, grad=("x",)),
        Case(
            "one head of keys",
            lambda rng: _values(_at_once(rng, key_heads=1)),
            probe="calls",
        ),
        Case(
            "one head",
            lambda rng: _values(_at_once(rng, embed_dim=5, heads=1)),
            probe="calls",
        ),
        Case(
            "a batch of one",
            lambda rng: _values(_at_once(rng, embed_dim=4, heads=2, length=3, batch=1)),
            probe="calls",
        ),
        Case(
            "scores far below zero",
            lambda rng: _values(_low(rng)),
            probe="calls",
        ),
        Case("a window", lambda rng: _at_once(rng, key_heads=3, window=3), grad=("x",)),
        Case("one token after another", lambda rng: _in_parts(rng, 5, 1, 1), 3, probe="steps"),
        Case("parts of several tokens", lambda rng: _in_parts(rng, 3, 2, 5), 2, probe="steps"),
        Case("a window, in parts", lambda rng: _in_parts(rng, 5, 2, 1, window=3), 2, probe="steps"),
        Case(
            "a window of one, in parts",
            lambda rng: _in_parts(rng, 3, 1, 2, window=1),
            probe="steps",
            corner=True,
        ),
        Case("a cache that begins with nothing", _from_nothing, probe="steps", corner=True),
        Case("another sequence, without its cache", lambda rng: _anew(rng), probe="calls"),
        Case(
            "in float32",
            lambda rng: _values(_at_once(rng, key_heads=2)),
            dtype="float32",
            probe="calls",
        ),
        Case(
            "in training mode",
            lambda rng: _values(replace(_at_once(rng, key_heads=2), training=True)),
            probe="calls",
            corner=False,
        ),
        Case(
            "as it is made",
            lambda rng: Call(init={"embed_dim": 30, "heads": 6, "key_heads": 2}),
            probe="fresh",
        ),
        Case(
            "with its defaults",
            lambda rng: Call(init={"embed_dim": 30, "heads": 6}),
            probe="fresh",
        ),
        Case(
            "on a device",
            lambda rng: Call(init={"embed_dim": 12, "heads": 6, "device": "meta"}),
            probe="fresh",
        ),
        Case(
            "at work on a device",
            lambda rng: replace(_at_once(rng, window=2, length=3), state=None),
            dtype="float32",
            probe="elsewhere",
        ),
        Case(
            "heads that do not divide",
            lambda rng: Call(
                init={"embed_dim": 12, "heads": 5}, args={"x": rng.standard_normal((2, 3, 12))}
            ),
            raises="ValueError",
        ),
        Case(
            "heads of keys that do not divide",
            lambda rng: Call(
                init={"embed_dim": 12, "heads": 6, "key_heads": 4},
                args={"x": rng.standard_normal((2, 3, 12))},
            ),
            raises="ValueError",
        ),
        Case(
            "everything",
            lambda rng: _in_parts(rng, 4, 3, 2, heads=4, key_heads=2, window=4),
            hidden=True,
            probe="steps",
        ),
    ),
    hint=(
        "Split features into heads with `unflatten` and move the heads before the positions. "
        "Extend the cache with the outputs of the layers `key` and `value`, then repeat each key "
        "head for its group: the cache holds it once."
    ),
    forbidden=READY_MADE,
    needs=("extend_cache", "band_mask"),
    returns=("the output", "the keys of the cache", "the values of the cache"),
)
