"""`training.nesterov_step`: a step with Nesterov's momentum."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise
from grader.exercises.training import first, memory

EXERCISE = Exercise(
    title="A step with Nesterov's momentum",
    section="momentum",
    tolerance=1e-10,
    cases=(
        Case("on the way", lambda rng: memory(rng, "velocity", lr=0.3, momentum=0.7), 2),
        Case("the first step", lambda rng: first(rng, "velocity", lr=0.01)),
        Case("no momentum", lambda rng: memory(rng, "velocity", lr=0.2, momentum=0.0)),
        Case("the usual momentum", lambda rng: memory(rng, "velocity", lr=2.0)),
        Case("single precision", lambda rng: memory(rng, "velocity", lr=0.5), dtype="float32"),
        Case("a single number", lambda rng: memory(rng, "velocity", shape=(), lr=0.3), corner=True),
        Case(
            "tiny gradients",
            lambda rng: memory(rng, "velocity", scale=1e-6, lr=2.0),
            hidden=True,
            corner=True,
        ),
        Case("one row", lambda rng: memory(rng, "velocity", shape=(1, 7), lr=0.3), corner=True),
        Case(
            "far-out numbers", lambda rng: memory(rng, "velocity", scale=1e12, lr=0.3), corner=True
        ),
    ),
    hint=(
        "The velocity is that of plain momentum. The step then adds the gradient once more, to a "
        "velocity that is damped once more."
    ),
    returns=("the new parameter", "the new velocity"),
)
