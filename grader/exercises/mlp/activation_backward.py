"""`mlp.activation_backward`: back through an activation."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.mlp import AUTOGRAD, B

EXERCISE = Exercise(
    title="The backward pass of an activation",
    section="backpropagation",
    tolerance=1e-10,
    cases=(
        Case("ReLU", lambda rng: _activated(rng, "relu")),
        Case("sigmoid", lambda rng: _activated(rng, "sigmoid")),
        Case("tanh", lambda rng: _activated(rng, "tanh")),
        Case("no activation", lambda rng: _activated(rng, "identity")),
        Case("saturated", lambda rng: _activated(rng, "sigmoid", 5, shift=50.0)),
        Case("hardly on", lambda rng: _activated(rng, "relu", 3, 5, scale=1e-9)),
        Case("one number", lambda rng: _activated(rng, "tanh", 1), corner=True),
        Case("float32", lambda rng: _activated(rng, "relu", 2, 3, 5), dtype="float32"),
        Case("an unknown name", lambda rng: _unknown(rng), raises="ValueError"),
        Case("a whole picture", lambda rng: _activated(rng, "tanh", 2, 3, 5), hidden=True),
        Case("ReLU, mostly off", lambda rng: _activated(rng, "relu", shift=-1.0), hidden=True),
    ),
    hint="You are given what the activation returned, so σ′ must be written in terms of o.",
    forbidden=AUTOGRAD,
)


def _activated(rng, activation, *shape, shift=0.0, scale=1.0):
    shape = shape or (B, 7)
    a = scale * rng.standard_normal(shape) + shift
    outputs = {
        "relu": np.maximum(a, 0.0),
        "sigmoid": 1 / (1 + np.exp(-a)),
        "tanh": np.tanh(a),
        "identity": a,
    }
    return {
        "grad": rng.standard_normal(shape),
        "output": outputs[activation],
        "activation": activation,
    }


def _unknown(rng):
    return _activated(rng, "tanh") | {"activation": "Tanh"}
