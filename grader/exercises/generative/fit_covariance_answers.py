"""Right and wrong answers to `generative.fit_covariance`."""

import torch

from grader.author.answers import right, wrong


@right
def weights_of_the_members(features, labels, *, classes, shared=False, floor=0.0):
    """One product for all classes, each example weighted by 1 / n_c or 0."""
    member = (labels == torch.arange(classes)[:, None]).to(features.dtype)  # (C, B)
    counts = member.sum(1)
    if (counts == 0).any():
        raise ValueError("a class has no example")
    mean = member @ features / counts[:, None]
    gaps = features - member.T @ mean
    share = torch.full((1, len(gaps)), 1 / len(gaps), dtype=features.dtype)
    if not shared:
        share = member / counts[:, None]
    covariance = torch.einsum("cb,bi,bj->cij", share, gaps, gaps)
    return mean, covariance + torch.diag_embed(torch.full_like(mean[:1], floor))


@right
def outer_products_pooled(features, labels, *, classes, shared=False, floor=0.0):
    """Each class by itself; the shared covariance as their mean, weighted by size."""
    means, products, counts = [], [], []
    for c in range(classes):
        members = features[labels == c]
        if len(members) == 0:
            raise ValueError(f"no example of class {c}")
        center = members.sum(0) / len(members)
        gaps = members - center
        means.append(center)
        counts.append(len(members))
        products.append(sum(torch.outer(gap, gap) for gap in gaps))
    size = features.shape[1]
    identity = torch.eye(size, dtype=features.dtype)
    if shared:
        return torch.stack(means), (sum(products) / sum(counts) + floor * identity)[None]
    each = [product / count + floor * identity for product, count in zip(products, counts)]
    return torch.stack(means), torch.stack(each)


wrong(
    "divided_by_n_minus_one",
    why=(
        "Maximum likelihood divides by the number of examples. n − 1 is the unbiased estimate, and "
        "for a class with one example it divides by 0."
    ),
    change={"/ len(group)": "/ (len(group) - 1)"},
)


wrong(
    "shared_around_one_mean",
    why=(
        "The shared covariance was measured around the mean of all examples: then the distances "
        "between the classes are counted as their width."
    ),
    change={
        "gaps = features - mean[labels]": (
            "gaps = features - (features.mean(0) if shared else mean[labels])"
        )
    },
)


wrong(
    "mean_of_the_covariances",
    why=(
        "The covariances of the classes were averaged as they are; the shared one is a mean over "
        "examples, so a class counts as often as it occurs."
    ),
    change={
        "groups = [gaps] if shared else [gaps[labels == c] for c in range(classes)]": (
            "groups = [gaps[labels == c] for c in range(classes)]"
        ),
        "return mean, covariance": (
            "covariance = covariance.mean(0, keepdim=True) if shared else covariance\n"
            "    return mean, covariance"
        ),
    },
)


wrong(
    "always_per_class",
    why="`shared` does nothing; with it there is one covariance, (1, D, D), for all classes.",
    change={
        "[gaps] if shared else [gaps[labels == c] for c in range(classes)]": (
            "[gaps[labels == c] for c in range(classes)]"
        )
    },
)


wrong(
    "shared_without_its_axis",
    why="The shared covariance came without its first axis; it is (1, D, D).",
    change={
        "return mean, covariance + floor * gaps.new_ones(gaps.shape[1]).diag()": (
            "covariance = covariance + floor * gaps.new_ones(gaps.shape[1]).diag()\n"
            "    return mean, covariance[0] if shared else covariance"
        )
    },
)


wrong(
    "second_moment",
    why=(
        "The means were not taken off: these are mean products of the features, not of their "
        "distances from the mean."
    ),
    change={"gaps = features - mean[labels]": "gaps = features"},
)


wrong(
    "floor_everywhere",
    why=(
        "The floor was added to every entry. It is a noise that each feature has for itself, so "
        "it belongs on the diagonal; elsewhere it would be a correlation."
    ),
    change={"floor * gaps.new_ones(gaps.shape[1]).diag()": "floor"},
)


wrong(
    "floor_ignored",
    why="The floor does nothing; it is added to the diagonals.",
    change={"covariance + floor * gaps.new_ones(gaps.shape[1]).diag()": "covariance"},
)


wrong(
    "floor_as_a_minimum",
    why="Variances were raised to the floor where they lie below; it is added to every one.",
    change={
        "return mean, covariance + floor * gaps.new_ones(gaps.shape[1]).diag()": (
            "diagonal = covariance.diagonal(dim1=1, dim2=2)\n"
            "    more = (diagonal.clamp(min=floor) - diagonal).diag_embed()\n"
            "    return mean, covariance + more"
        )
    },
)


wrong(
    "over_all_examples",
    why=(
        "Each class's products were divided by the number of all examples; a class is measured by "
        "its own."
    ),
    change={"/ len(group)": "/ len(features)"},
)


wrong(
    "diagonal_only",
    why=(
        "Only the variances are there. How two features move together stands beside the diagonal, "
        "and it is the point of this fit."
    ),
    change={"group.T @ group / len(group) for": "(group.square().sum(0) / len(group)).diag() for"},
)


@wrong(
    why=(
        "You squared around the mean of all examples and took the classes' means off afterward. "
        "Where classes lie far apart, two nearly equal numbers are subtracted, and the covariance "
        "is lost in rounding; take each example's own mean off first."
    ),
    corner=True,
)
def means_taken_off_last(features, labels, *, classes, shared=False, floor=0.0):
    center = features.mean(dim=0)
    counts = torch.bincount(labels, minlength=classes)
    if not counts.all():
        raise ValueError("a class has no example")
    groups = [features[labels == c] - center for c in range(classes)]
    means = torch.stack([group.mean(dim=0) for group in groups])
    squares = torch.stack([group.T @ group / len(group) for group in groups])
    covariance = squares - means.unsqueeze(2) * means.unsqueeze(1)
    if shared:
        covariance = (counts[:, None, None] * covariance).sum(dim=0, keepdim=True) / len(labels)
    return means + center, covariance + floor * torch.eye(len(center), dtype=features.dtype)
