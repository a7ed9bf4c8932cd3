"""Right and wrong answers to `diffusion.frechet_distance`."""

import torch

from grader.author.answers import right, wrong


def _fit(features):
    mean = features.mean(dim=0)
    gaps = features - mean
    return mean, gaps.T @ gaps / (len(features) - 1)


def _root(covariance):
    values, vectors = torch.linalg.eigh(covariance)
    return vectors * values.clamp(min=0).sqrt() @ vectors.T


@right
def symmetric_root(features, others):
    (mean, first), (other, second) = _fit(features), _fit(others)
    root = _root(first)
    inside = torch.linalg.eigvalsh(root @ second @ root).clamp(min=0)
    gap = mean - other
    return gap @ gap + first.trace() + second.trace() - 2 * inside.sqrt().sum()


@right
def between_the_examples(features, others):
    gaps = (features - features.mean(0)) / (len(features) - 1) ** 0.5
    other = (others - others.mean(0)) / (len(others) - 1) ** 0.5
    shared = torch.linalg.matrix_norm(gaps @ other.T, ord="nuc")
    means = torch.dist(features.mean(0), others.mean(0)) ** 2
    return means + gaps.pow(2).sum() + other.pow(2).sum() - 2 * shared


wrong(
    "means_alone",
    why="This is the distance between the means; sets with the same mean may still differ.",
    change={".sum() + traces - 2 * shared": ".sum() + 0 * (traces - shared)"},
)


wrong(
    "distance_of_the_means_not_squared",
    why="The distance between the means is squared in this formula, as all its terms are.",
    change={"(mean - other_mean).square().sum()": "(mean - other_mean).square().sum().sqrt()"},
)


wrong(
    "root_of_it_all",
    why="The root was taken; the number that is reported is the squared distance.",
    change={
        "return (mean - other_mean).square().sum() + traces - 2 * shared": (
            "return ((mean - other_mean).square().sum() + traces - 2 * shared).clamp(min=0).sqrt()"
        )
    },
)


@wrong(
    why=(
        "The covariances were treated as if they had the same axes: their eigenvalues were sorted "
        "and compared. The root belongs to the product C_1 C_2."
    )
)
def eigenvalues_in_pairs(features, others):
    (mean, first), (other, second) = _fit(features), _fit(others)
    one = torch.linalg.eigvalsh(first).clamp(min=0).sqrt()
    two = torch.linalg.eigvalsh(second).clamp(min=0).sqrt()
    return (mean - other).square().sum() + (one - two).square().sum()


@wrong(
    why=(
        "The features are compared one by one, by their variances; how they vary together is left "
        "out."
    )
)
def variances_alone(features, others):
    gap = features.mean(0) - others.mean(0)
    return gap.square().sum() + (features.std(0) - others.std(0)).square().sum()


@wrong(why="The trace of C_1 C_2 was subtracted; it is the trace of the root of that product.")
def root_left_out(features, others):
    (mean, first), (other, second) = _fit(features), _fit(others)
    gap = (mean - other).square().sum()
    return gap + first.trace() + second.trace() - 2 * (first @ second).trace()


@wrong(
    why=(
        "The root was taken of every entry of C_1 C_2. The root of a matrix is another matrix, "
        "whose product with itself is the first one."
    )
)
def root_of_the_entries(features, others):
    (mean, first), (other, second) = _fit(features), _fit(others)
    gap = (mean - other).square().sum()
    root = (first @ second).abs().sqrt()
    return gap + first.trace() + second.trace() - 2 * root.trace()


wrong(
    "shared_once",
    why="The trace of the root is subtracted once; the formula has it twice.",
    change={"2 * shared": "shared"},
)


@wrong(
    why=(
        "The covariances divide by n. With few examples that is too small; here they divide by "
        "n − 1."
    )
)
def divided_by_n(features, others):
    gaps = (features - features.mean(0)) / len(features) ** 0.5
    other = (others - others.mean(0)) / len(others) ** 0.5
    shared = torch.linalg.svdvals(gaps @ other.T).sum()
    means = (features.mean(0) - others.mean(0)).square().sum()
    return means + gaps.pow(2).sum() + other.pow(2).sum() - 2 * shared


@wrong(
    why=(
        "The covariance is computed as the mean of products minus the product of means. Far from "
        "zero, both are large and their difference is lost in rounding: subtract the mean first."
    ),
    corner=True,
)
def products_less_means(features, others):
    total = 0
    roots = []
    for x in (features, others):
        mean = x.mean(0)
        covariance = (x.T @ x - len(x) * torch.outer(mean, mean)) / (len(x) - 1)
        total = total + covariance.trace()
        roots.append(_root(covariance))
    shared = torch.linalg.svdvals(roots[0] @ roots[1]).sum()
    return (features.mean(0) - others.mean(0)).square().sum() + total - 2 * shared
