"""`diffusion.guided`: past the prediction with a label."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise
from grader.exercises.diffusion import few

EXERCISE = Exercise(
    title="Classifier-free guidance",
    section="classifier-free-guidance",
    tolerance=1e-10,
    cases=(
        Case("a batch", lambda rng: _pair(rng, 2.5, 5, 3), 2, grad=("conditional",)),
        Case("a small weight", lambda rng: _pair(rng, 0.25, 3, 2), grad=("unconditional",)),
        Case("a label used as learned", lambda rng: _pair(rng, 1.0, 3, 2)),
        Case("a label ignored", lambda rng: _pair(rng, 0.0, 3, 2)),
        Case("away from a label", lambda rng: _pair(rng, -1.3, 3, 2)),
        Case("one example of several axes", lambda rng: _pair(rng, 4.0, 1, 3, 2), corner=True),
        Case("in float32", lambda rng: _pair(rng, 2.5, 5, 3), dtype="float32"),
        Case("pictures", lambda rng: _pair(rng, 7.5, 2, 1, 2, 3), hidden=True),
    ),
    hint="A point on the line through the two predictions; at weight 1 it is the first.",
)


def _pair(rng, weight, *shape):
    return {
        "conditional": few(rng, *shape),
        "unconditional": few(rng, *shape),
        "weight": weight,
    }
