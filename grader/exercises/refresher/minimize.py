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
        Case("many short steps", lambda rng: quartic(rng, 3, learning_rate=0.02, steps=20)),
        Case("a matrix", lambda rng: _matrix(rng)),
        Case("no step", lambda rng: quartic(rng, learning_rate=0.1, steps=0), corner=True),
        Case("one number", lambda rng: quartic(rng, 1, learning_rate=0.1, steps=2), corner=True),
        Case("float32", lambda rng: quartic(rng, 2, learning_rate=0.1, steps=3), dtype="float32"),
        Case("five steps", lambda rng: quartic(rng, 7, learning_rate=0.05, steps=5), hidden=True),
    ),
    hint=(
        "In each step: a leaf that requires a gradient, the function of it, "
        "`torch.autograd.grad`, and the update on what is detached from the graph."
    ),
    forbidden=("torch.optim.SGD",),
)


def _matrix(rng):
    made = Made("quartic", {"weight": rng.uniform(0.2, 1.0, (2, 3))})
    return {
        "function": made,
        "x": rng.standard_normal((2, 3)),
        "learning_rate": 0.1,
        "steps": 4,
    }
