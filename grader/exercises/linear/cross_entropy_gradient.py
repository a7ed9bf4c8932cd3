"""`linear.cross_entropy_gradient`: the gradient of the cross-entropy, by hand."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise
from grader.exercises.linear import C, scores_and_labels

EXERCISE = Exercise(
    title="The gradient of the cross-entropy, by hand",
    section="cross-entropy",
    tolerance=1e-10,
    cases=(
        Case("a batch", lambda rng: scores_and_labels(rng), 2),
        Case("huge scores", lambda rng: scores_and_labels(rng, scale=1e3)),
        Case("as many examples as classes", lambda rng: scores_and_labels(rng, count=C)),
        Case("one example", lambda rng: scores_and_labels(rng, count=1), corner=True),
        Case("two classes", lambda rng: scores_and_labels(rng, classes=2), hidden=True),
        Case("in float32", lambda rng: scores_and_labels(rng), dtype="float32"),
        Case("on another device", lambda rng: _two(rng), probe="elsewhere"),
        Case(
            "one score for each example",
            lambda rng: {"input": rng.standard_normal(3), "target": rng.integers(3, size=3)},
            raises="ValueError",
        ),
        Case(
            "one label too many",
            lambda rng: {**_two(rng), "target": rng.integers(2, size=3)},
            raises="ValueError",
        ),
        Case(
            "one label for all",
            lambda rng: {**_two(rng), "target": rng.integers(2, size=1)},
            raises="ValueError",
        ),
        Case(
            "a column of labels",
            lambda rng: {**_two(rng), "target": rng.integers(2, size=(2, 1))},
            raises="ValueError",
        ),
        Case(
            "an example without its axis",
            lambda rng: {"input": rng.standard_normal(2), "target": rng.integers(2, size=())},
            raises="ValueError",
        ),
        Case(
            "scores with a third axis",
            lambda rng: {
                "input": rng.standard_normal((3, 5, 2)),
                "target": rng.integers(2, size=3),
            },
            raises="ValueError",
        ),
    ),
    hint="The loss is a mean over examples: what does that do to the gradient of one example?",
    forbidden=(
        "torch.autograd.grad",
        "Tensor.backward",
        "torch.autograd.backward",
        "torch.func.grad",
    ),
    needs=("softmax", "log_sum_exp"),
)


def _two(rng):
    return scores_and_labels(rng, count=2, classes=2)
