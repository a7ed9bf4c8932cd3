"""`transformer.rotary`: positions as turns."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise, Made


def _given(rng, *batch, length=5, size=6, at=None, **options):
    made = {"x": rng.standard_normal((*batch, length, size)), **options}
    return made if at is None else made | {"positions": np.asarray(at)}


def _calls(rng):
    """As many positions each time, at other places and with another base."""
    return {"calls": [_given(rng), _given(rng, base=100.0), _given(rng, at=[5, 0, 1, 9, 2])]}


EXERCISE = Exercise(
    title="Rotary positional encoding (RoPE)",
    section="rotary",
    cases=(
        Case("heads of a batch", lambda rng: _given(rng, 2, 3), 2, grad=("x",)),
        Case("no batch", lambda rng: _given(rng, length=7), grad=("x",), corner=True),
        Case("one pair", lambda rng: _given(rng, 2, size=2), grad=("x",), corner=True),
        Case("as many features as positions", lambda rng: _given(rng, 2, length=6), grad=("x",)),
        Case(
            "positions of its own",
            lambda rng: _given(rng, 2, 3, at=[3, 4, 11, 0, 211]),
            2,
            grad=("x",),
        ),
        Case(
            "one position that is not the first",
            lambda rng: _given(rng, 2, length=1, at=[17], base=50.0),
            corner=True,
        ),
        Case("another base", lambda rng: _given(rng, 2, base=100.0), grad=("x",)),
        Case("a whole number as base", lambda rng: _given(rng, base=100), corner=True),
        Case("rates as given", lambda rng: _given(rng, 2, base=[0.7, 0.02, 1.3]), grad=("x",)),
        Case(
            "rates in a tuple",
            lambda rng: _given(rng, base=Made("tuple", {"items": [0.7, 0.02, 1.3]})),
            corner=True,
        ),
        Case("several calls", lambda rng: _calls(rng), probe="calls"),
        Case("more features", lambda rng: _given(rng, 1, size=26), grad=("x",)),
        Case("one feature", lambda rng: _given(rng, 2, size=1), raises="ValueError"),
        Case("an odd number of features", lambda rng: _given(rng, 2, size=7), raises="ValueError"),
        Case("in float32", lambda rng: _given(rng, 2), dtype="float32"),
        Case(
            "on another device",
            lambda rng: _given(rng, length=2, size=4),
            probe="elsewhere",
        ),
        Case(
            "rates as given, on another device",
            lambda rng: _given(rng, length=2, size=4, base=[0.5, 0.25], at=[1, 0]),
            probe="elsewhere",
        ),
        Case(
            "far out, in half precision",
            lambda rng: _given(rng, 2, at=[1001, 1003, 2005, 3001, 4007]),
            dtype="bfloat16",
        ),
        Case("no positions", lambda rng: _given(rng, 2, length=0), hidden=True),
        Case(
            "far out",
            lambda rng: _given(rng, 2, at=[10007, 2, 5003, 1, 0]),
            grad=("x",),
            hidden=True,
            corner=True,
        ),
    ),
    hint=(
        "Positions as a column times rates as a row give the angles, one for each pair. The first "
        "half of the features are first coordinates, the second half are second coordinates."
    ),
)
