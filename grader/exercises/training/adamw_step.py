"""`training.adamw_step`: a step of AdamW."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise
from grader.exercises.training import adam, first, memory

EXERCISE = Exercise(
    title="A step of AdamW",
    section="decoupled",
    tolerance=1e-10,
    cases=(
        Case(
            "the first step", lambda rng: {**first(rng, "exp_avg", "exp_avg_sq", lr=0.1), "step": 1}
        ),
        Case("a strong decay", lambda rng: adam(rng, step=3, lr=0.2, weight_decay=0.7), 2),
        Case(
            "other averages",
            lambda rng: adam(rng, step=2, lr=0.2, betas=[0.6, 0.8], eps=0.2, weight_decay=0.1),
        ),
        Case("no decay", lambda rng: adam(rng, step=4, lr=0.2, weight_decay=0.0)),
        Case("tiny gradients", lambda rng: adam(rng, step=5, scale=1e-7, lr=0.3), corner=True),
        Case("single precision", lambda rng: adam(rng, step=3, lr=0.5), dtype="float32"),
        Case(
            "a single number",
            lambda rng: adam(rng, step=3, shape=(), lr=0.2, weight_decay=0.4),
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
        Case(
            "weights that shrink past 0",
            lambda rng: {
                **memory(rng, "exp_avg", "exp_avg_sq", lr=3.0, weight_decay=0.7),
                "step": 5,
            },
            corner=True,
        ),
    ),
    hint="Shrink the parameter first, then call `adam_step` with it and with no penalty.",
    needs=("adam_step",),
    returns=("the new parameter", "the new m", "the new s"),
)
