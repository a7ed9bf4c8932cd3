"""Right and wrong answers to `generative.fit_bernoulli`."""

import torch

from grader.author.answers import right, wrong


@right
def class_by_class(features, labels, *, classes, smoothing=1.0):
    if smoothing == 0 and len(labels.unique()) < classes:
        raise ValueError("a class without examples")
    rows = []
    for c in range(classes):
        group = features[labels == c]
        rows.append((group.sum(dim=0) + smoothing) / (len(group) + 2 * smoothing))
    return torch.stack(rows)


@right
def both_sides_counted(features, labels, *, classes, smoothing=1.0):
    if smoothing == 0 and len(labels.unique()) < classes:
        raise ValueError("a class without examples")
    start = features.new_full((classes, features.shape[1]), smoothing)
    yes = start.index_add(0, labels, features)
    no = start.index_add(0, labels, 1 - features)
    return yes / (yes + no)


wrong(
    "alpha_once_below",
    why=(
        "The denominator grew by α, but both outcomes get α imaginary "
        "examples; without the second α, ones and zeros do not sum to 1, and a "
        "feature that is always 1 comes out at 1."
    ),
    change={"counts + 2 * smoothing": "counts + smoothing"},
)


wrong(
    "alpha_after_dividing",
    why=(
        "α was added to the frequencies, n/n_c, and not to the counts; it "
        "stands for α more *examples* of each outcome, whose weight fades as "
        "real ones come in."
    ),
    change={
        "(ones + smoothing) / (counts + 2 * smoothing)": (
            "(ones / counts + smoothing) / (1 + 2 * smoothing)"
        )
    },
)


wrong(
    "alpha_for_every_class",
    why=(
        "The denominator grew by α times the number of classes, which is the "
        "rule for the prior; a feature within a class has two outcomes, "
        "however many classes there are."
    ),
    change={"counts + 2 * smoothing": "counts + classes * smoothing"},
)


wrong(
    "alpha_for_every_feature",
    why=(
        "The denominator grew by α times the number of features. That is the "
        "rule for one die with D faces; here are D coins, each with two."
    ),
    change={"counts + 2 * smoothing": "counts + features.shape[1] * smoothing"},
)


wrong(
    "alpha_below_alone",
    why=(
        "The numerator is missing α, so a count of 0 keeps probability 0, which smoothing "
        "is meant to prevent."
    ),
    change={"ones + smoothing": "ones"},
)


wrong(
    "shares_of_all_ones",
    why=(
        "The ones of a class were divided by the number of its ones, over all "
        "features. That is the multinomial model for counted words; here each "
        "feature is a coin of its own."
    ),
    change={
        "(counts + 2 * smoothing)": (
            "(ones.sum(dim=1, keepdim=True) + features.shape[1] * smoothing)"
        )
    },
)


wrong(
    "divided_by_all_examples",
    why=(
        "Divided by the number of all examples: this is the joint frequency of "
        "feature and class, not the frequency within the class."
    ),
    change={"counts + 2 * smoothing": "len(features) + 2 * smoothing"},
)


wrong(
    "alpha_ignored",
    why="The result is Laplace's rule, α = 1, whatever the caller asks for.",
    change={"(ones + smoothing) / (counts + 2 * smoothing)": "(ones + 1) / (counts + 2)"},
)
