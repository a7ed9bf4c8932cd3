"""`training.adam_step`: a step of Adam."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise
from grader.exercises.training import adam, first, memory


def _still(rng):
    """Entries that never had a gradient, beside others that had."""
    drawn = first(rng, "exp_avg", "exp_avg_sq", lr=0.1)
    drawn["gradient"][::2] = 0.0
    return {**drawn, "step": 1}


EXERCISE = Exercise(
    title="A step of Adam",
    section="adam",
    tolerance=1e-10,
    cases=(
        Case(
            "the first step", lambda rng: {**first(rng, "exp_avg", "exp_avg_sq", lr=0.1), "step": 1}
        ),
        Case("the third step", lambda rng: adam(rng, step=3, lr=0.2, betas=[0.7, 0.95]), 2),
        Case("after very many", lambda rng: adam(rng, step=100_000, lr=0.2)),
        Case("with a penalty", lambda rng: adam(rng, step=2, lr=0.1, weight_decay=0.3), 2),
        Case("a large eps", lambda rng: adam(rng, step=2, lr=0.1, eps=0.3)),
        Case("tiny gradients", lambda rng: adam(rng, step=5, scale=1e-7, lr=0.3), corner=True),
        Case("no gradient at all", _still),
        Case("single precision", lambda rng: adam(rng, step=3, lr=0.5), dtype="float32"),
        Case(
            "a single number",
            lambda rng: adam(rng, step=3, shape=(), lr=0.2, betas=[0.6, 0.8]),
            corner=True,
        ),
        Case(
            "one row",
            lambda rng: adam(rng, step=3, shape=(1, 7), lr=0.3),
            hidden=True,
            corner=True,
        ),
        Case(
            "far-out numbers",
            lambda rng: {**memory(rng, "exp_avg", "exp_avg_sq", scale=1e12, lr=0.3), "step": 5},
            corner=True,
        ),
    ),
    hint=(
        "Both averages first, then a corrected copy of each; what is returned are the averages "
        "without the correction."
    ),
    returns=("the new parameter", "the new m", "the new s"),
)
