"""`contrastive.nt_xent`: find the other view of the same image."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise
from grader.exercises.contrastive import pairs

EXERCISE = Exercise(
    title="NT-Xent",
    section="simclr",
    tolerance=1e-8,
    cases=(
        Case("a batch", lambda rng: _given(rng, 5, 3, 0.5), 2, grad=("first", "second")),
        Case("as many images as features", lambda rng: _given(rng, 3, 3, 0.25), 2),
        Case("two images", lambda rng: _given(rng, 2, 5, 1.0)),
        Case("a high temperature", lambda rng: _given(rng, 3, 2, 4.0)),
        Case("a low temperature", lambda rng: _given(rng, 3, 2, 1 / 4096), corner=True),
        Case("one image", lambda rng: _given(rng, 1, 3, 0.5), corner=True),
        Case("in float32", lambda rng: _given(rng, 3, 3, 0.5), dtype="float32"),
        Case("on another device", lambda rng: _given(rng, 3, 2, 0.5), probe="elsewhere"),
        Case("seven images", lambda rng: _given(rng, 7, 3, 0.375), hidden=True),
    ),
    hint=(
        "Stack both groups: the partner of row i is row i + B, modulo 2B. Fill the diagonal with "
        "−∞ before the softmax."
    ),
)


def _given(rng, count, width, temperature):
    return pairs(rng, count, width, "first", "second") | {"temperature": temperature}
