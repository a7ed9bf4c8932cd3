"""`generative.sample_gaussian`: a picture from the density."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise
from grader.exercises.generative import B, C, D

EXERCISE = Exercise(
    title="Sampling features from a Gaussian",
    section="sampling",
    tolerance=1e-10,
    cases=(
        Case("a batch", lambda rng: _noisy(rng, B), 2, grad=("noise", "mean", "variance")),
        Case("one variance for all classes", lambda rng: _noisy(rng, B, rows=1), 2),
        Case("two leading axes", lambda rng: _noisy(rng, 2, 3, width=2), corner=True),
        Case("features that never vary", lambda rng: _still(rng), corner=True),
        Case("in float32", lambda rng: _noisy(rng, B), dtype="float32"),
        Case("a single label", lambda rng: _noisy(rng, rows=1, width=3), corner=True),
        Case("a larger batch", lambda rng: _noisy(rng, 4 * B), hidden=True),
        Case("one label in a row", lambda rng: _noisy(rng, 1, width=3), corner=True),
    ),
    hint=(
        "`mean[labels]` picks a row for each label. Shared variances have one row only, which "
        "must serve every class."
    ),
    forbidden=("torch.normal", "torch.randn", "torch.randn_like"),
)


def _noisy(rng, *lead, rows=C, width=D):
    return {
        "labels": rng.integers(C, size=lead),
        "noise": rng.standard_normal((*lead, width)),
        "mean": rng.standard_normal((C, width)),
        "variance": rng.uniform(0.05, 4.0, (rows, width)),
    }


def _still(rng):
    drawn = _noisy(rng, B)
    drawn["variance"][:, ::2] = 0.0
    return drawn
