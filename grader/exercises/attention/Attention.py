"""`attention.Attention`: four scores, as a module."""

from __future__ import annotations

from dataclasses import replace

from grader.author.exercise import Call, Case, Exercise, Returned
from grader.author.parameters import few_bits
from grader.exercises.attention import READY_MADE, some


def _layer(rng, kind, *, d_q=7, d_k=11, hidden=13, mask=False, batch=(2,), queries=3):
    d_k = d_q if kind in ("dot", "scaled") else d_k
    state = {}
    if kind == "general":
        state = {"weight": rng.standard_normal((d_q, d_k))}
    elif kind == "additive":
        state = {
            "weight_query": 0.6 * rng.standard_normal((hidden, d_q)),
            "weight_key": 0.6 * rng.standard_normal((hidden, d_k)),
            "v": rng.standard_normal(hidden),
        }
    # keys as `project` returns them
    width = {"general": d_q, "additive": hidden}.get(kind, d_k)
    args = {
        "query": rng.standard_normal((*batch, queries, d_q)),
        "projected": rng.standard_normal((*batch, 5, width)),
        "value": 10 * rng.standard_normal((*batch, 5, 3)),
    }
    args = few_bits(args)
    if mask:
        shape = {"each": (*batch, queries), "batch": (queries,)}.get(mask, (*batch, 1))
        args["mask"] = some(rng, *shape, 5)
    init = {"kind": kind, "query_size": d_q, "key_size": d_k}
    if kind == "additive":
        init["hidden_size"] = hidden
    return Call(init=init, state=few_bits(state), args=args)


def _projected(rng, kind, *, d_q=7, d_k=11, batch=(2,)):
    call = _layer(rng, kind, d_q=d_q, d_k=d_k)
    given = rng.standard_normal((2, *batch, 5, call.init["key_size"]))
    steps = tuple(("project", {"key": keys}) for keys in given)
    if (kind, d_k) in (("general", d_q), ("additive", 13)):  # of keys that learn themselves
        steps += (("project", {"key": Returned(0)}),)
    return Call(init=call.init, state=call.state, steps=steps)


def _calls(rng):
    """A mask is there once and then not: each call stands for itself."""
    call = _layer(rng, "additive", mask=True)
    calls = [call.args, _layer(rng, "additive").args, _layer(rng, "additive", queries=1).args]
    return replace(call, args={"calls": calls})


def _fresh(kind, **init):
    sizes = {"query_size": 31, "key_size": 31 if kind in ("dot", "scaled") else 97}
    return Call(args={}, init={"kind": kind, **sizes, **init})


EXERCISE = Exercise(
    title="Four scores in one module",
    section="attention-module",
    cases=(
        Case("a dot product", lambda rng: _layer(rng, "dot"), grad=("query", "projected")),
        Case("scaled", lambda rng: _layer(rng, "scaled"), grad=("query", "projected")),
        Case("general", lambda rng: _layer(rng, "general"), grad=("query", "projected")),
        Case("additive", lambda rng: _layer(rng, "additive"), 2, grad=("query", "projected")),
        Case("a mask", lambda rng: _layer(rng, "additive", mask=True), grad=("query", "value")),
        Case("a mask, dot product", lambda rng: _layer(rng, "dot", mask=True)),
        Case("a mask, scaled", lambda rng: _layer(rng, "scaled", mask="each", queries=2)),
        Case(
            "one mask for the batch",
            lambda rng: _layer(rng, "dot", d_q=2, batch=(3,), mask="batch"),
            corner=True,
        ),
        Case(
            "a mask, general, keys as wide as queries",
            lambda rng: _layer(rng, "general", d_k=7, mask="each", queries=2),
            grad=("query", "projected"),
        ),
        Case(
            "keys as wide as the hidden layer",
            lambda rng: _layer(rng, "additive", d_k=13),
            grad=("query", "projected"),
        ),
        Case("several calls", _calls, probe="calls"),
        Case("in training mode", lambda rng: replace(_layer(rng, "additive"), training=True)),
        Case("in float32", lambda rng: _layer(rng, "additive"), dtype="float32"),
        Case(
            "batches of batches",
            lambda rng: _layer(
                rng, "additive", d_q=2, d_k=2, hidden=3, batch=(2, 3), mask=True, queries=1
            ),
            corner=True,
        ),
        Case("keys, general", lambda rng: _projected(rng, "general"), grad=("key",)),
        Case(
            "keys of one size, general",
            lambda rng: _projected(rng, "general", d_k=7, batch=(1, 2)),
        ),
        Case("keys, additive", lambda rng: _projected(rng, "additive"), grad=("key",)),
        Case(
            "keys as wide as the hidden layer, projected",
            lambda rng: _projected(rng, "additive", d_k=13),
        ),
        Case("keys, dot product", lambda rng: _projected(rng, "dot"), grad=("key",)),
        Case("general, as it is made", lambda rng: _fresh("general"), probe="fresh", corner=False),
        Case(
            "additive, as it is made",
            lambda rng: _fresh("additive", hidden_size=401),
            probe="fresh",
            corner=False,
        ),
        Case(
            "one size for all, as it is made",
            lambda rng: _fresh("additive", query_size=97),
            probe="fresh",
        ),
        Case("additive, with its default", lambda rng: _fresh("additive"), probe="fresh"),
        Case("a dot product has none", lambda rng: _fresh("dot"), probe="fresh"),
        Case("on a device", lambda rng: _fresh("additive", device="meta"), probe="fresh"),
        Case("general, on a device", lambda rng: _fresh("general", device="meta"), probe="fresh"),
        Case(
            "another kind",
            lambda rng: Call(init={"kind": "Dot", "query_size": 3, "key_size": 3}),
            raises="ValueError",
        ),
        Case(
            "two sizes, dot product",
            lambda rng: Call(init={"kind": "dot", "query_size": 3, "key_size": 5}),
            raises="ValueError",
        ),
        Case(
            "two sizes, dot product, longer queries",
            lambda rng: Call(init={"kind": "dot", "query_size": 5, "key_size": 3}),
            raises="ValueError",
        ),
        Case(
            "two sizes, scaled",
            lambda rng: Call(init={"kind": "scaled", "query_size": 3, "key_size": 5}),
            raises="ValueError",
        ),
        Case(
            "two batch axes",
            lambda rng: _layer(rng, "additive", batch=(2, 3), mask=True, queries=1),
            grad=("query", "projected"),
            hidden=True,
            corner=True,
        ),
        Case("keys, scaled", lambda rng: _projected(rng, "scaled"), grad=("key",), hidden=True),
    ),
    hint=(
        "`register_parameter` takes a name and an `nn.Parameter`. In `forward` the keys are "
        "already projected: the general score is then a dot product, the additive score a call "
        "without `weight_key`."
    ),
    forbidden=READY_MADE,
    needs=("dot_score", "general_score", "additive_score", "masked_softmax", "attend"),
)
