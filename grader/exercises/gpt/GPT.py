"""`gpt.GPT`: GPT-2 from the Transformer's parts."""

from __future__ import annotations

from dataclasses import replace

from grader.author.exercise import Call, Case, Exercise
from grader.author.parameters import few_bits


def _init(**given):
    sizes = {"vocabulary": 11, "embed_dim": 6, "num_heads": 3, "num_layers": 2, "longest": 7}
    return sizes | given


def _state(rng, init):
    features, wide = init["embed_dim"], 4 * init["embed_dim"]
    shapes = {"embed.weight": (init["vocabulary"], features)}
    if init.get("positions", "learned") == "learned":
        shapes["table"] = (init["longest"], features)
    for layer in range(init["num_layers"]):
        for part in ("query", "key", "value", "output"):
            shapes[f"layers.{layer}.attention.{part}.weight"] = (features, features)
            shapes[f"layers.{layer}.attention.{part}.bias"] = (features,)
        for name, size in (("up", (wide, features)), ("down", (features, wide))):
            shapes[f"layers.{layer}.feed_forward.{name}.weight"] = size
            shapes[f"layers.{layer}.feed_forward.{name}.bias"] = size[:1]
        for norm in ("attention_norm", "feed_forward_norm"):
            for kind in ("weight", "bias"):
                shapes[f"layers.{layer}.{norm}.{kind}"] = (features,)
    shapes |= {"norm.weight": (features,), "norm.bias": (features,)}
    state = {name: 0.6 * rng.standard_normal(size) for name, size in shapes.items()}
    state = few_bits(state)
    return state | {"head.weight": state["embed.weight"]}


def _model(rng, *, length=5, rows=2, training=False, **given):
    init = _init(**given)
    return Call(
        init=init,
        state=_state(rng, init),
        args={"tokens": rng.integers(0, init["vocabulary"], (rows, length))},
        training=training,
    )


def _fresh(**given):
    return Call(args={}, init=_init(vocabulary=53, embed_dim=24, longest=37) | given)


def _values(call):
    """Its numbers alone: other cases look at gradients, and at what a call leaves behind."""
    return replace(call, args={"calls": [call.args]})


EXERCISE = Exercise(
    title="GPT-2",
    section="gpt-2",
    cases=(
        Case("two layers", lambda rng: _model(rng), 3),
        Case(
            "one layer, as long as can be",
            lambda rng: _values(_model(rng, num_layers=1, length=7)),
            2,
            probe="calls",
        ),
        Case(
            "one token",
            lambda rng: _values(_model(rng, length=1, num_heads=1)),
            probe="calls",
        ),
        Case(
            "rotary positions",
            lambda rng: _values(_model(rng, positions="rotary")),
            probe="calls",
            corner=False,
        ),
        Case(
            "waves for positions",
            lambda rng: _values(_model(rng, positions="sinusoidal")),
            probe="calls",
            corner=False,
        ),
        Case(
            "in training mode, no dropout",
            lambda rng: _values(_model(rng, training=True)),
            probe="calls",
            corner=False,
        ),
        Case("on a device", lambda rng: _fresh(num_layers=1, device="meta"), probe="fresh"),
        Case(
            "everything dropped, in float32",
            lambda rng: _values(_model(rng, training=True, dropout=1.0)),
            dtype="float32",
            probe="calls",
            corner=False,
        ),
        Case("as it is made", lambda rng: _fresh(), 2, probe="fresh", corner=False),
        Case(
            "one layer, another spread",
            lambda rng: _fresh(num_layers=1, std=0.3, dropout=0.5),
            probe="fresh",
        ),
        Case(
            "three layers",
            lambda rng: _model(rng, num_layers=3, embed_dim=4, num_heads=2),
            hidden=True,
        ),
    ),
    hint=(
        "`Config` has nearly all of it. Then replace the feed-forward network of each layer by a "
        "`TanhFeedForward`, and go through `named_parameters`: the name tells which standard "
        "deviation to use."
    ),
    needs=("TanhFeedForward",),
)
