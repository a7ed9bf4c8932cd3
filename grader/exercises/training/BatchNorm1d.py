"""`training.BatchNorm1d`: batch normalization."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from grader.author.exercise import Call, Case, Exercise
from grader.exercises.training import B, D


def batch_norm(rng, *, training, count=B, columns=D, scale=3.0, **init):
    shape = (count, *np.atleast_1d(columns))
    args = {"x": scale * rng.standard_normal(shape) + 2 * rng.standard_normal(shape[-1])}
    state = {
        "weight": rng.standard_normal(D),
        "bias": rng.standard_normal(D),
        "running_mean": rng.standard_normal(D),
        "running_var": rng.random(D) + 0.3,
        "num_batches_tracked": np.array(6),
    }
    return Call(args=args, init={"num_features": D, **init}, state=state, training=training)


def _fresh(rng):
    return Call(args={"x": rng.standard_normal((B, D))}, init={"num_features": D}, training=True)


def _bare(rng):
    call = batch_norm(rng, training=False, count=1)
    return replace(call, args={"x": call.args["x"][0]})


def _small(rng):
    call = batch_norm(rng, training=False)
    call.state["running_var"] *= 1e-6
    return call


def _constant(rng):
    """Two features have no variance, and a third hardly any."""
    call = batch_norm(rng, training=True)
    call.args["x"][:, ::3] = [0.0, 4.0, 1e-3]
    call.args["x"][:, 6] += 1e-3 * rng.standard_normal(B)
    return call


def _far(rng, offset=150.0):
    """Means that are large beside the spread, so that their squares have few digits left."""
    call = batch_norm(rng, training=True)
    call.args["x"][:] += offset * (1 + rng.random(D) / 3)
    return call


def _cancels(rng):
    """Normalized input and shift nearly cancel for the first example."""
    call = batch_norm(rng, training=False)
    state, first = call.state, call.args["x"][0] - call.state["running_mean"]
    state["weight"] *= 40
    state["bias"] = -state["weight"] * first / np.sqrt(state["running_var"] + 1e-5)
    return call


def _exact(rng):
    """Far from zero, and such that the mean of all sixteen is exact and their squares are not."""
    call = batch_norm(rng, training=True, count=16)
    x = call.args["x"]
    x[:] = np.round(64 * x) / 64 + np.round(4e6 * (1 + rng.random(D) / 3))
    return call


EXERCISE = Exercise(
    title="Batch normalization",
    section="batch-norm",
    cases=(
        Case("in training", lambda rng: batch_norm(rng, training=True), 3, grad=("x",)),
        Case("in evaluation", lambda rng: batch_norm(rng, training=False), 2, grad=("x",)),
        Case(
            "another eps and momentum",
            lambda rng: batch_norm(rng, training=True, eps=0.5, momentum=0.7),
        ),
        Case(
            "a momentum of zero",
            lambda rng: batch_norm(rng, training=True, momentum=0.0),
            corner=True,
        ),
        Case("small variances, in evaluation", lambda rng: _small(rng), corner=True),
        Case(
            "another eps, in evaluation",
            lambda rng: batch_norm(rng, training=False, count=3, eps=0.5),
        ),
        Case(
            "as it is made",
            lambda rng: Call(
                args={"x": rng.standard_normal((B, D))}, init={"num_features": D}, training=False
            ),
            corner=True,
        ),
        Case(
            "a fresh layer",
            lambda rng: Call(args={}, init={"num_features": 31}),
            probe="fresh",
        ),
        Case(
            "on another device",
            lambda rng: Call(args={}, init={"num_features": 5, "device": "meta"}),
            probe="fresh",
        ),
        Case("fresh, in training", lambda rng: _fresh(rng)),
        Case("two examples", lambda rng: batch_norm(rng, training=True, count=2)),
        Case(
            "a column for all features",
            lambda rng: batch_norm(rng, training=False, count=2, columns=1),
            raises="ValueError",
        ),
        Case(
            "three axes",
            lambda rng: batch_norm(rng, training=False, count=2, columns=(D, D)),
            raises="ValueError",
        ),
        Case("one example without an axis of its own", lambda rng: _bare(rng), raises="ValueError"),
        Case(
            "no momentum",
            lambda rng: Call(args={}, init={"num_features": D, "momentum": None}),
            probe="fresh",
            raises="ValueError",
        ),
        Case(
            "a single example in training",
            lambda rng: batch_norm(rng, training=True, count=1),
            raises="ValueError",
        ),
        Case(
            "no example in training",
            lambda rng: batch_norm(rng, training=True, count=0),
            raises="ValueError",
        ),
        Case(
            "a single example in evaluation",
            lambda rng: batch_norm(rng, training=False, count=1),
            corner=True,
        ),
        Case(
            "no example in evaluation",
            lambda rng: batch_norm(rng, training=False, count=0),
            corner=True,
        ),
        Case("a feature that never changes", lambda rng: _constant(rng), grad=("x",), corner=True),
        Case("far from zero", lambda rng: _exact(rng)),
        Case("single precision", lambda rng: batch_norm(rng, training=True), dtype="float32"),
        Case("half precision", lambda rng: _far(rng), dtype="bfloat16"),
        Case("a square batch", lambda rng: batch_norm(rng, training=True, count=D), hidden=True),
        Case(
            "evaluation with another eps",
            lambda rng: batch_norm(rng, training=False, eps=0.3),
            hidden=True,
        ),
        Case(
            "half precision, in evaluation",
            lambda rng: _cancels(rng),
            dtype="bfloat16",
            hidden=True,
        ),
    ),
    hint=(
        "Decide first which mean and variance to use, then write the formula once. Running values "
        "are buffers (`register_buffer`) and are changed in place, under `torch.no_grad()`."
    ),
    forbidden=("nn.BatchNorm1d", "F.batch_norm", "torch.batch_norm"),
)
