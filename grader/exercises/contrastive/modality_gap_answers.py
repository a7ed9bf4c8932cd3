"""Right and wrong answers to `contrastive.modality_gap`."""

import torch
from torch.nn import functional as F

from grader.author.answers import equivalent, right, wrong


@right
def by_hand(images, texts):
    means = []
    for of in (images, texts):
        means.append(sum(row / (row * row).sum() ** 0.5 for row in of) / len(of))
    return ((means[0] - means[1]) ** 2).sum() ** 0.5


@right
def with_distance(images, texts):
    units = [of / torch.linalg.vector_norm(of, dim=-1, keepdim=True) for of in (images, texts)]
    return torch.linalg.vector_norm(units[0].mean(0) - units[1].mean(0))


@wrong(why="The vectors are not divided by their lengths, so long ones decide where the mean lies.")
def lengths_left_in(images, texts):
    return (images.mean(0) - texts.mean(0)).norm()


@wrong(
    why="The means are divided by their lengths, not the vectors: that hides how spread they are."
)
def means_normalized(images, texts):
    return (F.normalize(images.mean(0), dim=0) - F.normalize(texts.mean(0), dim=0)).norm()


@wrong(why="The means of unit vectors are stretched to length 1; the gap is between the means.")
def stretched_again(images, texts):
    one, other = (F.normalize(of, dim=1).mean(0) for of in (images, texts))
    return (F.normalize(one, dim=0) - F.normalize(other, dim=0)).norm()


wrong(
    "squared",
    why="This is the squared distance; take the root.",
    change={".norm()": ".square().sum()"},
)


@wrong(why="These are the distances of all images from all texts; the gap is between their means.")
def mean_of_distances(images, texts):
    return torch.cdist(F.normalize(images, dim=1), F.normalize(texts, dim=1)).mean()


@wrong(why="The difference is 1 minus the cosine of the means; the gap is a distance.")
def one_minus_cosine(images, texts):
    one, other = (F.normalize(of, dim=1).mean(0) for of in (images, texts))
    return 1 - F.cosine_similarity(one, other, dim=0)


@wrong(why="Vectors are divided by lengths along the batch; each row has its own.")
def along_the_batch(images, texts):
    return (F.normalize(images, dim=0).mean(0) - F.normalize(texts, dim=0).mean(0)).norm()


equivalent(
    "return (F.normalize(images).mean(dim=0) - F.normalize(texts, dim=1).mean(dim=0)).norm()",
    why="normalize divides along axis 1 by default",
)


equivalent(
    "return (F.normalize(images, dim=1).mean(dim=0) - F.normalize(texts).mean(dim=0)).norm()",
    why="normalize divides along axis 1 by default",
)
