"""`generative.GaussianNB`: a density as a module."""

from __future__ import annotations

from dataclasses import replace

from grader.author.exercise import Call, Case, Exercise
from grader.exercises.generative import B, C, D

EXERCISE = Exercise(
    title="Gaussian naive Bayes as a module",
    section="two-losses",
    tolerance=1e-10,
    cases=(
        Case("a batch", lambda rng: _module(rng, B), 2, grad=("x",)),
        Case("shared variances", lambda rng: _module(rng, B, shared=True), 2, grad=("x",)),
        Case("as it starts", lambda rng: _module(rng, B, state=False)),
        Case(
            "as it is made",
            lambda rng: Call(args={}, init={"in_features": 3, "classes": 11}),
            probe="fresh",
        ),
        Case(
            "on a device",
            lambda rng: Call(args={}, init={"in_features": D, "classes": C, "device": "meta"}),
            probe="fresh",
        ),
        Case("in training mode", lambda rng: replace(_module(rng, B), training=True), grad=("x",)),
        Case(
            "very narrow and very wide",
            lambda rng: _module(rng, B, spread=12.0),
            grad=("x",),
            corner=True,
        ),
        Case("in float32", lambda rng: _module(rng, B), dtype="float32"),
        Case("narrower still, and a class far ahead", lambda rng: _far_out(rng), corner=True),
        Case("far from zero", lambda rng: _years(rng), corner=True),
        Case("a single input", lambda rng: _module(rng), corner=True),
        Case("two leading axes", lambda rng: _module(rng, 2, 3), grad=("x",), corner=True),
        Case("far away", lambda rng: _module(rng, 2, 3, scale=50.0), grad=("x",), hidden=True),
        Case("one input", lambda rng: _module(rng, 1), corner=True),
    ),
    hint=(
        "`gaussian_log_density` does the work. The parameters may be any numbers, so the "
        "variances come out of an exponential and the prior out of a log-softmax."
    ),
    needs=("gaussian_log_density",),
)


def _module(rng, *lead, shared=False, state=True, scale=1.0, spread=1.5):
    given = {
        "prior_logits": 1 + rng.standard_normal(C),
        "mean": rng.standard_normal((C, D)),
        "log_variance": rng.uniform(-spread, spread, (1 if shared else C, D)),
    }
    return Call(
        init={"in_features": D, "classes": C, "shared": shared},
        state=given if state else None,
        args={"x": scale * rng.standard_normal((*lead, D))},
    )


def _far_out(rng):
    """Variances of 2e-9, at inputs beside the means, and a score of 1000: its exponential is ∞."""
    call = _module(rng, B)
    call.state["log_variance"][:, ::2] = -20.0
    call.state["prior_logits"][0] = 1000.0
    call.args["x"] = call.state["mean"][1] + 3e-5 * rng.standard_normal((B, D))
    return call


def _years(rng):
    """Inputs and means beside each other, far from zero: their squares have no digits left."""
    call = _module(rng, 2)
    call.state["mean"] += 1e6
    call.args["x"] += 1e6
    return call
