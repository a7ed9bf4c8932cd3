"""`generative.fit_covariance`: Gaussians whose features hang together."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.generative import C, D, gap, labels_of

EXERCISE = Exercise(
    title="Fitting a full covariance matrix",
    section="correlations",
    cases=(
        Case("a covariance per class", lambda rng: _examples(rng), 2, grad=("features",)),
        Case("one for all", lambda rng: _examples(rng, shared=True), 2, grad=("features",)),
        Case("with a floor", lambda rng: _examples(rng, floor=0.3)),
        Case("one for all, with a floor", lambda rng: _examples(rng, shared=True, floor=0.05)),
        Case(
            "one example of a class",
            lambda rng: _examples(rng, each=1, count=C, floor=0.1),
            corner=True,
        ),
        Case("far from zero", lambda rng: _examples(rng, offset=1e6)),
        Case("one feature", lambda rng: _examples(rng, features=1), corner=True),
        Case("float32", lambda rng: _examples(rng, shared=True), dtype="float32"),
        Case(
            "no example of a class",
            lambda rng: {**_examples(rng), "classes": C + 1},
            raises="ValueError",
        ),
        Case(
            "no example of a class in the middle",
            lambda rng: gap(_examples(rng)),
            raises="ValueError",
        ),
        Case(
            "one for all, and no example of a class",
            lambda rng: {**_examples(rng, shared=True), "classes": C + 1},
            raises="ValueError",
        ),
        Case("two classes", lambda rng: _examples(rng, classes=2), hidden=True),
        Case("classes far apart", lambda rng: _apart(rng), corner=True),
        Case(
            "one for all, and classes far apart", lambda rng: _apart(rng, shared=True), corner=True
        ),
    ),
    hint=(
        "Take the means off first, each example's own. For the examples of a class as rows of G, "
        "Gᵀ G sums the products of all pairs of features at once."
    ),
    forbidden=("torch.cov", "torch.corrcoef"),
    needs=("fit_gaussian",),
)


def _examples(rng, *, count=31, classes=C, each=2, features=D, offset=0.0, **options):
    labels = labels_of(rng, count, classes, each=each)
    mixed = rng.standard_normal((count, features)) @ rng.standard_normal((features, features))
    scale = np.linspace(0.5, 2.0, classes)[labels, None]
    means = 2 * rng.standard_normal((classes, features))
    return {
        "features": offset + means[labels] + scale * mixed,
        "labels": labels,
        "classes": classes,
        **options,
    }


def _apart(rng, **options):
    """Far apart beside their spread: what is squared before the class's mean is off is lost, and on
    every processor alike. Features are multiples of 1/2, and 32 of them have an exact mean, so that
    of a square exactly the part that matters is too small to be kept."""
    drawn = _examples(rng, count=32, classes=2, **options)
    halves = np.round(2 * drawn["features"]) / 2
    return {**drawn, "features": halves + 2.0**36 * drawn["labels"][:, None]}
