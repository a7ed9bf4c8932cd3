"""`transfer.Adapter`: a narrow detour."""

from __future__ import annotations

from grader.author.exercise import Call, Case, Exercise


def _adapter(rng, *batch, features=7, width=3, size=1.0, **given):
    state = {
        "down.weight": rng.standard_normal((width, features)),
        "down.bias": rng.standard_normal(width),
        "up.weight": rng.standard_normal((features, width)),
        "up.bias": rng.standard_normal(features),
    }
    return Call(
        init={"features": features, "width": width},
        state=state,
        args={"x": size * rng.standard_normal((*batch, features))},
        **given,
    )


def _fresh(**given):
    return Call(args={}, init={"features": 31, "width": 5, **given})


EXERCISE = Exercise(
    title="An adapter",
    section="adapters",
    cases=(
        Case("a batch", lambda rng: _adapter(rng, 5, 2), 2, grad=("x",)),
        Case("one vector, in training", lambda rng: _adapter(rng, training=True), corner=True),
        Case("a batch of one", lambda rng: _adapter(rng, 1), corner=True),
        Case("large numbers", lambda rng: _adapter(rng, 11, size=30.0), grad=("x",), corner=True),
        Case("as wide as the stream", lambda rng: _adapter(rng, 3, width=7)),
        Case("in float32", lambda rng: _adapter(rng, 5), dtype="float32"),
        Case("as it is made", lambda rng: _fresh(), 2, probe="fresh", corner=False),
        Case("on a device", lambda rng: _fresh(device="meta"), probe="fresh"),
        Case("another size", lambda rng: _adapter(rng, 2, 3, 5, features=11), hidden=True),
    ),
    hint="Down, GELU, up, and add what came in. One of the two layers starts at 0.",
)
