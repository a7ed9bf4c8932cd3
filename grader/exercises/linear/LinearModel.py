"""`linear.LinearModel`: a linear model as a module."""

from __future__ import annotations

from dataclasses import replace

from grader.author.exercise import Call, Case, Exercise
from grader.exercises.linear import B, C, D

EXERCISE = Exercise(
    title="A linear model as a module",
    section="as-a-module",
    tolerance=1e-10,
    cases=(
        Case("a batch", lambda rng: _model(rng, B), 2, grad=("x",)),
        Case("a single input", lambda rng: _model(rng), corner=True),
        Case("as it starts", lambda rng: _model(rng, 3, state=False)),
        Case("two leading axes", lambda rng: _model(rng, 2, 3), grad=("x",), corner=True),
        Case("three leading axes", lambda rng: _model(rng, 2, 1, 3), hidden=True, corner=True),
        Case("one output", lambda rng: _model(rng, 3, outputs=1), grad=("x",), corner=True),
        Case(
            "one feature, in training mode",
            lambda rng: replace(_model(rng, 3, features=1), training=True),
            grad=("x",),
        ),
        Case("in float32", lambda rng: _model(rng, 3), dtype="float32"),
        Case(
            "as it is made",
            lambda rng: Call(args={}, init={"in_features": 11, "out_features": 5}),
            probe="fresh",
        ),
        Case(
            "on a device",
            lambda rng: Call(args={}, init={"in_features": 7, "out_features": 5, "device": "meta"}),
            probe="fresh",
        ),
    ),
    hint=(
        "Assigning an `nn.Parameter` to an attribute registers it under that name; the names and "
        "shapes are in the docstring."
    ),
    forbidden=("nn.Linear", "F.linear"),
    needs=("linear",),
)


def _model(rng, *lead, features=D, outputs=C, state=True):
    given = {
        "weight": rng.standard_normal((outputs, features)),
        "bias": rng.standard_normal(outputs),
    }
    return Call(
        init={"in_features": features, "out_features": outputs},
        state=given if state else None,
        args={"x": rng.standard_normal((*lead, features))},
    )
