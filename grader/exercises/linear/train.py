"""`linear.train`: the training loop."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise
from grader.exercises.linear import B, C, D

EXERCISE = Exercise(
    title="The training loop",
    section="three-steps",
    tolerance=1e-10,
    cases=(
        Case("one step", lambda rng: _loop(rng, steps=1)),
        Case("many steps", lambda rng: _loop(rng, steps=11), 2),
        Case("with a penalty", lambda rng: _loop(rng, steps=7, l2=0.2), 2),
        Case(
            "one output",
            lambda rng: _loop(rng, steps=3, outputs=1, l2=0.1),
            hidden=True,
            corner=True,
        ),
        Case(
            "no step at all",
            lambda rng: _loop(rng, steps=0),
            grad=("weight", "bias"),
            corner=True,
        ),
        Case(
            "a start that is part of a graph",
            lambda rng: _loop(rng, steps=3),
            grad=("weight", "bias"),
            corner=True,
        ),
        Case("tiny steps", lambda rng: {**_loop(rng, steps=3), "learning_rate": 1e-6}, corner=True),
        Case("another loss", lambda rng: _yes_or_no(rng)),
        Case("class numbers", lambda rng: _classes(rng, "cross_entropy")),
        Case("class numbers, with a margin", lambda rng: _classes(rng, "hinge")),
        Case("in float32", lambda rng: _loop(rng, steps=3), dtype="float32"),
        Case(
            "no such loss",
            lambda rng: {**_loop(rng, steps=0), "loss": "Squared"},
            raises="ValueError",
        ),
        Case("no penalty by default", lambda rng: _without(_loop(rng, steps=3), "l2")),
        Case(
            "steps so long that the loss overflows",
            lambda rng: {**_loop(rng, steps=3), "learning_rate": 1e160},
            corner=True,
        ),
        Case("a loss that grows without end", lambda rng: _steep(rng), corner=True),
    ),
    hint=(
        "Copy the start first (`.detach().clone().requires_grad_()`). In each step compute the "
        "objective once, ask `torch.autograd.grad` for both gradients, then change both parameters "
        "under `torch.no_grad()`. `torch.zeros(steps)` would make a history in float32, whatever "
        "the weights are; `weight.new_empty(steps)` does not."
    ),
    needs=(
        "linear",
        "squared_loss",
        "logistic_loss",
        "cross_entropy",
        "log_sum_exp",
        "hinge_loss",
    ),
)


def _loop(rng, *, steps, outputs=C, l2=0.0):
    return {
        "features": rng.standard_normal((B, D)),
        "target": rng.standard_normal((B, outputs)) + 2.0,
        "weight": rng.standard_normal((outputs, D)),
        "bias": rng.standard_normal(outputs),
        "loss": "squared",
        "learning_rate": 0.05,
        "steps": steps,
        "l2": l2,
    }


def _yes_or_no(rng):
    drawn = _loop(rng, steps=3, l2=0.1)
    return {**drawn, "target": (drawn["target"] > 2.0).astype(float), "loss": "logistic"}


def _classes(rng, loss):
    return {**_loop(rng, steps=3, l2=0.1), "target": rng.integers(C, size=B), "loss": loss}


def _without(drawn, *names):
    """Left to their defaults."""
    return {name: value for name, value in drawn.items() if name not in names}


def _steep(rng):
    drawn = _loop(rng, steps=3)
    return {**drawn, "features": 1e4 * drawn["features"], "learning_rate": 1e30}
