"""`transfer.layer_rates`: the lower, the slower."""

from __future__ import annotations

from grader.author.afresh import changed
from grader.author.exercise import Case, Exercise
from grader.exercises.transfer import tuples

PARTS = ("attention.query.weight", "attention.query.bias", "norm.weight")


def _names(layers, *, before=""):
    return [
        f"{before}embed.weight",
        *(f"{before}layers.{k}.{part}" for k in range(layers) for part in PARTS),
        f"{before}norm.weight",
        "head.weight",
        "head.bias",
    ]


def _other(rng, rate, decay, **_):
    return {
        "rate": rate * (0.2 + rng.random()),
        "decay": decay if decay == 1.0 else decay + rng.random(),
    }


EXERCISE = Exercise(
    title="Layer-wise learning rates",
    section="rates-by-layer",
    cases=(
        Case("two layers", lambda rng: _given(_names(2), 2), 2),
        Case("five layers inside of something", lambda rng: _given(_names(5, before="a.b."), 5)),
        Case("twelve layers", lambda rng: _given(_names(12, before="trunk."), 12, decay=1.3), 2),
        Case("no decay", lambda rng: tuples(_given(_names(3), 3, decay=1.0))),
        Case(
            "a tiny rate",
            lambda rng: _given(_names(12), 12, rate=3e-7, decay=2.6),
            corner=True,
        ),
        Case("one name", lambda rng: _given(["layers.0.weight"], 1), corner=True),
        Case("no names", lambda rng: _given([], 4)),
        Case("names that look alike", lambda rng: _alike()),
        Case("not in order", lambda rng: _given(_names(4)[::-1], 4, rate=0.3, decay=2.6)),
        Case(
            "seven layers",
            lambda rng: _given(_names(7), 7, rate=2e-3, decay=1 + rng.random()),
            hidden=True,
        ),
    ),
    hint=(
        "Count steps down from the head: it is 0, the top layer 1, the embedding one below layer 0."
    ),
    afresh=changed(_other),
)


def _given(names, layers, *, rate=0.5, decay=2.0):
    return {"names": names, "layers": layers, "rate": rate, "decay": decay}


def _alike():
    names = ["sublayers.1.weight", "relayers.x.weight", "unembed.weight", "pre.embedding.weight"]
    return _given(
        [
            *names,
            "x.layers.1.embed.weight",
            "embed.layers.0.weight",
            "a.layers_1.weight",
            "embed.scale",
            "a.embed.norm.bias",
            "norm_layers",
            "embed",
            "layers.1",
            "a.layers.2",
        ],
        3,
    )
