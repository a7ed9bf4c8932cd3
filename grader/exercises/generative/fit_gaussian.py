"""`generative.fit_gaussian`: fitting by counting."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise
from grader.author.parameters import few_bits
from grader.exercises.generative import C, D, gap, labels_of

EXERCISE = Exercise(
    title="Fitting Gaussian naive Bayes",
    section="counting",
    cases=(
        Case("a variance for each class", lambda rng: _examples(rng), 2),
        Case("shared variances", lambda rng: _examples(rng, shared=True), 2),
        Case("with a floor", lambda rng: _examples(rng, floor=0.3)),
        Case("shared, with a floor", lambda rng: _examples(rng, shared=True, floor=0.2)),
        Case(
            "a class without examples",
            lambda rng: {**_examples(rng), "classes": C + 1},
            raises="ValueError",
        ),
        Case(
            "a class in the middle without examples",
            lambda rng: gap(_examples(rng)),
            raises="ValueError",
        ),
        Case(
            "shared, and a class without examples",
            lambda rng: {**_examples(rng, shared=True), "classes": C + 1},
            raises="ValueError",
        ),
        Case("in float32", lambda rng: _examples(rng), dtype="float32"),
        Case("on another device", lambda rng: _away(rng), probe="elsewhere"),
        Case("one example of each class", lambda rng: _one_each(rng), corner=True),
        Case(
            "shared, a higher floor",
            lambda rng: _examples(rng, shared=True, floor=0.5),
            hidden=True,
        ),
        Case("features far from zero", lambda rng: _examples(rng, offset=1e6, shared=True)),
        Case("classes far apart", lambda rng: _apart(rng), corner=True),
    ),
    hint=(
        "A one-hot matrix (B, C), transposed, times the features adds up each class. For the "
        "variances, `mean[labels]` is the mean that belongs to each example."
    ),
)


def _examples(rng, *, offset=0.0, **options):
    labels = labels_of(rng, 31)
    scales = rng.uniform(0.3, 2.0, (C, D))
    means = offset + 3 * rng.standard_normal((C, D))
    features = means[labels] + scales[labels] * rng.standard_normal((31, D))
    return {**few_bits({"features": features}), "labels": labels, "classes": C, **options}


def _one_each(rng):
    return {
        "features": rng.standard_normal((C, D)),
        "labels": rng.permutation(C),
        "classes": C,
        "floor": 0.1,
    }


def _apart(rng):
    """Classes a million apart: squares less the square of the mean have no digit left."""
    given = _examples(rng)
    return {**given, "features": given["features"] + 1e6 * given["labels"][:, None]}


def _away(rng):
    """Whole numbers: only where the result lies is looked at."""
    features = rng.integers(3, size=(3, 2)).astype(float)
    return {"features": features, "labels": rng.permutation(3), "classes": 3, "floor": 0.5}
