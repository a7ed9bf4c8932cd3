"""`contrastive.modality_gap`: how far images and texts lie apart."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise
from grader.exercises.contrastive import few

EXERCISE = Exercise(
    title="The modality gap",
    section="retrieval",
    tolerance=1e-8,
    cases=(
        Case("two groups", lambda rng: _given(rng, 5, 3, 7), 2, grad=("images", "texts")),
        Case("as many of each", lambda rng: _given(rng, 3, 3, 3), 2),
        Case("one image", lambda rng: _given(rng, 1, 5, 2), corner=True),
        Case("far apart", lambda rng: _given(rng, 3, 2, 5, shift=8), 1),
        Case("in float32", lambda rng: _given(rng, 5, 3, 7), dtype="float32"),
        Case("seven texts", lambda rng: _given(rng, 2, 7, 3), hidden=True),
    ),
    hint="Unit vectors, then a mean for each group, then the length of the difference.",
)


def _given(rng, images, texts, width, shift=0):
    longer = 2.0 ** rng.integers(-1, 3, (images, 1))
    return {"images": longer * few(rng, images, width), "texts": few(rng, texts, width) + shift}
