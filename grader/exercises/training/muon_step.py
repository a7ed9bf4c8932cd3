"""`training.muon_step`: a step of Muon."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise
from grader.exercises.training import C, D, first, memory

NAME = "momentum_buffer"
EXERCISE = Exercise(
    title="A step of Muon",
    section="muon",
    tolerance=1e-9,
    cases=(
        Case("on the way", lambda rng: memory(rng, NAME, lr=0.3, momentum=0.7), 2),
        Case("a tall matrix", lambda rng: memory(rng, NAME, shape=(D, C), lr=0.2, momentum=0.8)),
        Case("a very tall matrix", lambda rng: memory(rng, NAME, shape=(11, 3), lr=0.2)),
        Case("the first step", lambda rng: first(rng, NAME, lr=0.1)),
        Case("no momentum", lambda rng: memory(rng, NAME, lr=0.2, momentum=0.0)),
        Case("all by default", lambda rng: memory(rng, NAME, lr=0.5)),
        Case("a strong decay", lambda rng: memory(rng, NAME, lr=0.5, weight_decay=0.7)),
        Case("no decay", lambda rng: memory(rng, NAME, lr=0.5, weight_decay=0.0)),
        Case("large gradients", lambda rng: memory(rng, NAME, scale=1e4, lr=0.1)),
        Case("float32", lambda rng: memory(rng, NAME, lr=0.5), dtype="float32"),
        Case("a square matrix", lambda rng: memory(rng, NAME, shape=(C, C), lr=0.2), hidden=True),
        Case("one row", lambda rng: memory(rng, NAME, shape=(1, D), lr=0.3), corner=True),
        Case(
            "a tall matrix, cheaply",
            lambda rng: memory(rng, NAME, shape=(61, 3), lr=0.2),
            most={"largest": 3 * 61},
        ),
    ),
    hint=(
        "First the new v, then the direction from the new v, then the step. It is the old weights "
        "that shrink."
    ),
    returns=("the new parameter", "the new v"),
    needs=("newton_schulz",),
)
