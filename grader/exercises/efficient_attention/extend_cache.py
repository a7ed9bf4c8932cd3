"""`efficient_attention.extend_cache`: new keys and values behind the old."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise


def _pair(rng, *lead, count):
    return (
        rng.standard_normal((*lead, count, 3)),
        rng.standard_normal((*lead, count, 5)),
    )


def _inputs(rng, *lead, kept=None, new=2, **window):
    key, value = _pair(rng, *lead, count=new)
    cache = None if kept is None else list(_pair(rng, *lead, count=kept))
    return {"cache": cache, "key": key, "value": value, **window}


_NEW = ("key", "value")

EXERCISE = Exercise(
    title="The KV cache",
    section="cache",
    cases=(
        Case("the start of a text", lambda rng: _inputs(rng, 2, new=7), grad=_NEW),
        Case("one token more", lambda rng: _inputs(rng, 2, kept=7, new=1), 2, grad=_NEW),
        Case(
            "heads, and three tokens more", lambda rng: _inputs(rng, 2, 7, kept=5, new=3), grad=_NEW
        ),
        Case("a window at the start", lambda rng: _inputs(rng, 2, new=7, window=3), 2, grad=_NEW),
        Case(
            "a window that is full", lambda rng: _inputs(rng, kept=4, new=1, window=5), 2, grad=_NEW
        ),
        Case("a window not yet full", lambda rng: _inputs(rng, kept=1, window=7), grad=_NEW),
        Case(
            "few positions, and a wide window",
            lambda rng: _inputs(rng, 2, new=5, window=8),
            corner=True,
        ),
        Case(
            "more kept than the window",
            lambda rng: _inputs(rng, kept=7, window=3),
            grad=_NEW,
            corner=True,
        ),
        Case("a window of one", lambda rng: _inputs(rng, kept=0, window=1), grad=_NEW),
        Case("one head, one token", lambda rng: _inputs(rng, 1, kept=0, new=1), grad=_NEW),
        Case("in float32", lambda rng: _inputs(rng, 3, kept=2), dtype="float32"),
        Case(
            "another window",
            lambda rng: _inputs(rng, 2, 3, kept=3, new=5, window=4),
            grad=_NEW,
            hidden=True,
        ),
    ),
    tolerance=1e-9,
    hint=(
        "`torch.cat` along the axis of positions. The next query sees itself and window − 1 "
        "positions before it: how many of these are here already? `detach` cuts from the graph."
    ),
    returns=(
        "the keys to look at",
        "the values to look at",
        "the keys to keep",
        "the values to keep",
    ),
)
