"""`contrastive.zero_shot`: classes that are given as texts."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise
from grader.exercises.contrastive import few

EXERCISE = Exercise(
    title="Zero-shot classification",
    section="zero-shot-classification",
    tolerance=1e-8,
    cases=(
        Case("three prompts each", lambda rng: _given(rng, 5, 2, 3, 7), 2, grad=("prompts",)),
        Case("many classes", lambda rng: _given(rng, 2, 5, 2, 3), 2),
        Case("one prompt each", lambda rng: _given(rng, 3, 2, 1, 5)),
        Case("equal sizes", lambda rng: _given(rng, 3, 3, 3, 3)),
        Case("one image", lambda rng: _given(rng, 1, 2, 3, 2), corner=True),
        Case("one class", lambda rng: _given(rng, 3, 1, 2, 5), corner=True),
        Case("in float32", lambda rng: _given(rng, 3, 2, 3, 5), dtype="float32"),
        Case("four prompts each", lambda rng: _given(rng, 3, 2, 4, 5), hidden=True),
    ),
    hint="Three steps: unit prompts, their mean for each class, cosines with the images.",
)


def _given(rng, images, classes, prompts, width):
    longer = 2.0 ** rng.integers(-2, 3, (classes, prompts, 1))
    return {
        "images": 4 * few(rng, images, width),
        "prompts": longer * few(rng, classes, prompts, width),
    }
