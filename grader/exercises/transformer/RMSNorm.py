"""`transformer.RMSNorm`: vectors of one length."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Call, Case, Exercise, Made


def _norm(rng, *lead, features=7, size=1.0, training=False, **options):
    return Call(
        init={"features": features, **options},
        state={"weight": 1 + 0.5 * rng.standard_normal(features)},
        args={"x": size * (rng.standard_normal((*lead, features)) + 0.5)},
        training=training,
    )


def _zeros(rng):
    call = _norm(rng, 2)
    return Call(init=call.init, state=call.state, args={"x": np.zeros((2, 7))})


def _narrow(rng):
    """A half-precision input and a scale of float64. Of 1 and 7 the root mean square is 5."""
    call = _norm(rng, features=4, eps=0.0)
    x = np.array([[1.0, 7, 7, 1], [7, 1, 1, 7], [1, 1, 7, 7]]) * rng.choice([-1.0, 1.0], (3, 4))
    return Call(init=call.init, state=call.state, args={"x": Made("bfloat16", {"numbers": x})})


def _flat(rng):
    """x / |x| but for eps: of the gradient little is left, and no x near 0 to outweigh it."""
    call = _norm(rng, 7, features=1, eps=0.01)
    x = rng.choice([-1.0, 1.0], (7, 1)) * rng.uniform(0.8, 1.6, (7, 1))
    return Call(init=call.init, state=call.state, args={"x": x})


EXERCISE = Exercise(
    title="RMSNorm",
    section="rms-norm",
    cases=(
        Case("a batch", lambda rng: _norm(rng, 2, 3), 2, grad=("x",)),
        Case("one vector", lambda rng: _norm(rng), grad=("x",), corner=True),
        Case("a square batch", lambda rng: _norm(rng, 7, 7), grad=("x",)),
        Case("tiny", lambda rng: _norm(rng, 3, size=1e-3), grad=("x",), corner=True),
        Case("another eps", lambda rng: _norm(rng, 3, eps=0.5), grad=("x",)),
        Case("zeros", _zeros, grad=("x",), corner=True),
        Case("in training mode", lambda rng: _norm(rng, 5, training=True), grad=("x",)),
        Case("in float32", lambda rng: _norm(rng, 3), dtype="float32"),
        Case("large, in half precision", lambda rng: _norm(rng, 3, size=300.0), dtype="bfloat16"),
        Case("squares beyond float16", lambda rng: _norm(rng, 3, size=500.0), dtype="float16"),
        Case(
            "what is left in bfloat16",
            _flat,
            dtype="bfloat16",
            grad=("x",),
        ),
        Case("a scale wider than the input", _narrow, corner=True),
        Case("as it is made", lambda rng: Call(args={}, init={"features": 11}), probe="fresh"),
        Case(
            "on a device",
            lambda rng: Call(args={}, init={"features": 11, "device": "meta"}),
            probe="fresh",
        ),
        Case(
            "one feature",
            lambda rng: _norm(rng, 3, features=1),
            grad=("x",),
            hidden=True,
            corner=True,
        ),
    ),
    hint="Compute one number per vector, and keep its axis. `torch.rsqrt` is 1/√.",
    forbidden=("nn.RMSNorm", "F.rms_norm"),
)
