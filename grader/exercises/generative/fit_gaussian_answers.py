"""Right and wrong answers to `generative.fit_gaussian`."""

import torch

from grader.author.answers import right, wrong


@right
def class_by_class(features, labels, *, classes, shared=False, floor=0.0):
    if len(labels.unique()) < classes:
        raise ValueError("a class without examples")
    groups = [features[labels == c] for c in range(classes)]
    mean = torch.stack([group.mean(dim=0) for group in groups])
    variance = torch.stack([group.var(dim=0, correction=0) for group in groups])
    if shared:
        share = torch.tensor([float(len(group)) for group in groups]).double()
        variance = (share / share.sum() @ variance)[None]
    return mean, variance + floor


@right
def scatter_reduced_means(features, labels, *, classes, shared=False, floor=0.0):
    if len(labels.unique()) < classes:
        raise ValueError("a class without examples")
    width = features.shape[1]
    index = labels[:, None].expand(-1, width)
    empty = features.new_zeros(classes, width)
    mean = empty.scatter_reduce(0, index, features, "mean", include_self=False)
    gaps = (features - mean.gather(0, index)) ** 2
    if shared:
        variance = (gaps.sum(dim=0) / gaps.shape[0]).unsqueeze(0)
    else:
        variance = empty.scatter_reduce(0, index, gaps, "mean", include_self=False)
    return mean, variance + floor


wrong(
    "divided_by_one_less",
    why=(
        "The variance divides by n − 1 here, as `torch.var` does unless told "
        "otherwise; maximum likelihood divides by n, and a class with one "
        "example would give 0/0."
    ),
    change={"squares / counts + floor": "squares / (counts - 1) + floor"},
)


wrong(
    "around_the_mean_of_all",
    why=(
        "The distances were measured from the mean of all classes, so how far "
        "the classes lie apart counts as spread within them."
    ),
    change={"mean[labels]": "features.mean(dim=0)"},
)


wrong(
    "shared_around_the_mean_of_all",
    why=(
        "The shared variance was measured around one mean for all classes, so "
        "how far the classes lie apart counts as spread within them."
    ),
    change={
        "squares.mean(dim=0, keepdim=True)": ("features.var(dim=0, correction=0, keepdim=True)")
    },
)


wrong(
    "shared_divided_by_fewer",
    why=(
        "The shared variance divides by n − C, which makes up for the C means "
        "that were fitted; maximum likelihood divides by n."
    ),
    change={
        "squares.mean(dim=0, keepdim=True)": (
            "squares.sum(dim=0, keepdim=True) / (len(features) - classes)"
        )
    },
)


wrong(
    "classes_count_alike",
    why=(
        "The shared variance is the plain average of the classes' variances; a "
        "class with few examples then counts as much as one with many. Average "
        "over examples."
    ),
    change={
        "squares.mean(dim=0, keepdim=True)": (
            "(one_hot.T @ squares / counts).mean(dim=0, keepdim=True)"
        )
    },
)


wrong(
    "deviation",
    why="The standard deviation came back; the variance is its square.",
    change={
        "squares.mean(dim=0, keepdim=True) + floor": (
            "(squares.mean(dim=0, keepdim=True) + floor).sqrt()"
        ),
        "one_hot.T @ squares / counts + floor": ("(one_hot.T @ squares / counts + floor).sqrt()"),
    },
)


wrong(
    "larger_of_the_two",
    why=(
        "The larger of variance and floor was taken; the floor is added, like "
        "the variance of independent noise, which also keeps the order of the "
        "variances."
    ),
    change={
        "squares.mean(dim=0, keepdim=True) + floor": (
            "squares.mean(dim=0, keepdim=True).clamp(min=floor)"
        ),
        "one_hot.T @ squares / counts + floor": ("(one_hot.T @ squares / counts).clamp(min=floor)"),
    },
)


wrong(
    "no_floor_when_shared",
    why=(
        "Nothing was added to the shared variances. The floor is added to each, and is no lower "
        "limit: a pixel that is white in every picture has a variance of 0 in them too."
    ),
    change={"squares.mean(dim=0, keepdim=True) + floor": "squares.mean(dim=0, keepdim=True)"},
)


wrong(
    "divided_by_all_examples",
    why=(
        "Each class's squares were divided by the number of all examples, so "
        "that rare classes look narrow."
    ),
    change={"squares / counts + floor": "squares / len(features) + floor"},
)


wrong(
    "made_up_for_afterwards",
    why=(
        "The variance was divided by n − 1 and then multiplied by (n − 1) / n: of a class with "
        "one example that is 0/0 times 0, which is NaN and not 0. Divide by n at once."
    ),
    change={
        "one_hot.T @ squares / counts + floor": (
            "one_hot.T @ squares / (counts - 1) * ((counts - 1) / counts) + floor"
        )
    },
    corner=True,
)
