"""`training.rmsprop_step`: a step of RMSProp."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise
from grader.exercises.training import first, memory

EXERCISE = Exercise(
    title="A step of RMSProp",
    section="own-rates",
    tolerance=1e-10,
    cases=(
        Case("on the way", lambda rng: memory(rng, "square_avg", lr=0.3, alpha=0.7), 2),
        Case("the first step", lambda rng: first(rng, "square_avg", lr=0.01)),
        Case("a large eps", lambda rng: memory(rng, "square_avg", lr=0.3, eps=0.2)),
        Case("no gradient at all", lambda rng: _still(rng)),
        Case(
            "tiny gradients", lambda rng: memory(rng, "square_avg", scale=1e-7, lr=0.5), corner=True
        ),
        Case("single precision", lambda rng: memory(rng, "square_avg", lr=0.5), dtype="float32"),
        Case(
            "a single number",
            lambda rng: memory(rng, "square_avg", shape=(), lr=0.3, alpha=0.5),
            corner=True,
        ),
        Case(
            "one row",
            lambda rng: memory(rng, "square_avg", shape=(1, 7), lr=0.3),
            hidden=True,
            corner=True,
        ),
        Case(
            "far-out numbers",
            lambda rng: memory(rng, "square_avg", scale=1e12, lr=0.3),
            corner=True,
        ),
    ),
    hint=(
        "Update the average of squares first; the step uses the new one. The root belongs to the "
        "average alone, ε is added after it."
    ),
    returns=("the new parameter", "the new average of squares"),
)


def _still(rng):
    """Entries that never had a gradient, beside others that had."""
    drawn = first(rng, "square_avg", lr=0.1)
    drawn["gradient"][::2] = 0.0
    return drawn
