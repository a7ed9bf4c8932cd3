"""`transformer.one_hot_positions`: a single 1 that says where."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise


def _given(rng, *batch, length=5, features=7, longest, append):
    x = rng.standard_normal((*batch, length, features))
    return {"x": x, "longest": longest, "append": append}


EXERCISE = Exercise(
    title="One-hot positions",
    section="positions",
    cases=(
        Case("appended", lambda rng: _given(rng, 2, longest=11, append=True), 2, grad=("x",)),
        Case("added", lambda rng: _given(rng, 2, longest=6, append=False), 2, grad=("x",)),
        Case("no batch", lambda rng: _given(rng, longest=5, append=True), grad=("x",), corner=True),
        Case(
            "added, no batch",
            lambda rng: _given(rng, longest=7, append=False),
            grad=("x",),
            corner=True,
        ),
        Case("two batch axes", lambda rng: _given(rng, 2, 3, longest=5, append=True), corner=True),
        Case(
            "added, two batch axes",
            lambda rng: _given(rng, 2, 3, length=3, longest=5, append=False),
            corner=True,
        ),
        Case(
            "too long to append",
            lambda rng: _given(rng, 2, longest=4, append=True),
            raises="ValueError",
        ),
        Case(
            "too long to add",
            lambda rng: _given(rng, 2, longest=4, append=False),
            raises="ValueError",
        ),
        Case(
            "too few features",
            lambda rng: _given(rng, 2, longest=8, append=False),
            raises="ValueError",
        ),
        Case("in float32", lambda rng: _given(rng, 2, longest=6, append=True), dtype="float32"),
        Case(
            "on another device",
            lambda rng: _given(rng, length=2, features=1, longest=2, append=True),
            probe="elsewhere",
        ),
        Case(
            "in half precision",
            lambda rng: _given(rng, 2, longest=6, append=False),
            dtype="bfloat16",
        ),
        Case(
            "appended, in half precision",
            lambda rng: _given(rng, 2, longest=6, append=True),
            dtype="float16",
        ),
        Case(
            "one position",
            lambda rng: _given(rng, 2, length=1, longest=3, append=True),
            hidden=True,
            corner=True,
        ),
    ),
    tolerance=1e-9,
    hint="The rows of an identity matrix are the one-hot vectors, in order.",
)
