"""`transfer.Prefix`: keys and values of a text that nobody wrote."""

from __future__ import annotations

from dataclasses import replace

from grader.author.exercise import Call, Case, Exercise


def _steps(rng, *batches, heads=3, length=2, d_k=5, d_v=7, text=4, name="extend", **given):
    steps = [("length", None)]
    for batch in batches:
        key = rng.standard_normal((*batch, heads, text, d_k))
        value = rng.standard_normal((*batch, heads, text, d_v))
        steps.append((name, {"key": key, "value": value}))
    state = {
        "key": rng.standard_normal((heads, length, d_k)),
        "value": rng.standard_normal((heads, length, d_v)),
    }
    init = {"heads": heads, "length": length, "d_k": d_k, "d_v": d_v}
    return Call(init=init, state=state, steps=(*steps, ("length", None)), **given)


def _fresh(**given):
    return Call(args={}, init={"heads": 7, "length": 11, "d_k": 13, "d_v": 17, **given})


def _at_work(rng):
    init = {"heads": 1, "length": 2, "d_k": 2, "d_v": 1, "device": "meta"}
    given = {"key": rng.standard_normal((1, 1, 2)), "value": rng.standard_normal((1, 1, 1))}
    return Call(init=init, args=given)


EXERCISE = Exercise(
    title="Prefix tuning: learned keys and values",
    section="tuned-prompts",
    cases=(
        Case("a batch", lambda rng: _steps(rng, (2,)), 2),
        Case("one after the other", lambda rng: _steps(rng, (2,), (2,), (3,)), 2),
        Case("one text, in training", lambda rng: _steps(rng, (), training=True)),
        Case("in float32", lambda rng: _steps(rng, (2,)), dtype="float32"),
        Case(
            "more axes, called as a module", lambda rng: _steps(rng, (2, 3), name=""), corner=True
        ),
        Case(  # parameters bear the names of these arguments, and none is left in their way
            "a prefix of nothing",
            lambda rng: replace(_steps(rng, (2,), length=0), state=None),
            grad=("key", "value"),
            corner=True,
        ),
        Case(
            "a batch of one, one token",
            lambda rng: _steps(rng, (1,), text=1, length=1),
            corner=True,
        ),
        Case("as many heads as texts", lambda rng: _steps(rng, (3,))),
        Case("as it is made", lambda rng: _fresh(), 2, probe="fresh"),
        Case("keys as wide as values", lambda rng: _fresh(d_v=13), probe="fresh"),
        Case("on a device", lambda rng: _fresh(device="meta"), probe="fresh"),
        Case(  # what is copied into another tensor may come from anywhere
            "at work on a device",
            lambda rng: _at_work(rng),
            dtype="float32",
            probe="elsewhere",
        ),
        Case("longer", lambda rng: _steps(rng, (5,), heads=2, length=7, text=3), hidden=True),
    ),
    tolerance=1e-9,
    hint="As the cache of the chapter on GPT, with what is kept learned, and nothing added to it.",
)
