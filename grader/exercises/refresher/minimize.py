"""`refresher.minimize`: gradient descent with autograd."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise, Made
from grader.exercises.refresher import quartic

EXERCISE = Exercise(
    title="Gradient descent with autograd",
    section="autograd",
    tolerance=1e-8,
    cases=(
        Case("three steps", lambda rng: quartic(rng, learning_rate=0.1, steps=3), 2),
        Case("one step", lambda rng: quartic(rng, learning_rate=0.2, steps=1)),
        Case("many short steps, where it is flat", lambda rng: _flat(rng), corner=True),
        Case("a matrix", lambda rng: _matrix(rng)),
        Case(
            "no step",
            lambda rng: quartic(rng, learning_rate=0.1, steps=0),
            grad=("x",),
            corner=True,
        ),
        Case("one number, far away", lambda rng: _far(rng), grad=("x",), corner=True),
        Case("float32", lambda rng: quartic(rng, 2, learning_rate=0.1, steps=3), dtype="float32"),
        Case("five steps", lambda rng: quartic(rng, 7, learning_rate=0.05, steps=5), hidden=True),
    ),
    hint=(
        "In each step: a leaf that requires a gradient, the function of it, "
        "`torch.autograd.grad`, and the update on what is detached from the graph."
    ),
    forbidden=("torch.optim.SGD",),
)


def _far(rng):
    """Where the gradient is in the millions."""
    drawn = quartic(rng, 1, learning_rate=1e-7, steps=2)
    return {**drawn, "x": 90 + drawn["x"]}


def _flat(rng):
    """Where the gradient is small, which is no reason to stop."""
    drawn = quartic(rng, 3, learning_rate=0.02, steps=20)
    return {**drawn, "x": 1e-9 * drawn["x"]}


def _matrix(rng):
    made = Made("quartic", {"weight": rng.uniform(0.2, 1.0, (2, 3))})
    return {
        "function": made,
        "x": rng.standard_normal((2, 3)),
        "learning_rate": 0.1,
        "steps": 4,
    }
