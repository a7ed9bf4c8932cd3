"""Right and wrong answers to `contrastive.sigmoid_pair_loss`."""

import torch
from torch.nn import functional as F

from grader.author.answers import right, wrong
from solutions.contrastive import cosines


@right
def with_softplus(images, texts, scale, bias):
    scores = scale * cosines(images, texts) + bias
    others = F.softplus(scores).sum() - F.softplus(scores).diagonal().sum()
    return (F.softplus(-scores).diagonal().sum() + others) / len(images)


@right
def with_targets(images, texts, scale, bias):
    images = images / images.norm(dim=1, keepdim=True)
    texts = texts / texts.norm(dim=1, keepdim=True)
    targets = torch.diag(torch.ones_like(images[:, 0]))
    scores = images @ texts.T * scale + bias
    found = F.binary_cross_entropy_with_logits(scores, targets, reduction="sum")
    return found / len(images)


wrong(
    "mean_over_all",
    why="The mean over all B² combinations was taken; the sum is divided by B, the images.",
    change={".sum() / len(scores)": ".mean()"},
)


wrong(
    "not_divided",
    why="The sum is not divided by the number of images, so it grows with the batch.",
    change={".sum() / len(scores)": ".sum()"},
)


wrong(
    "bias_left_out",
    why="The bias is missing: at first, half of all combinations would be taken for pairs.",
    change={"cosines(images, texts) + bias": "cosines(images, texts) + 0 * bias"},
)


wrong(
    "bias_subtracted",
    why="The bias is subtracted; it is added to the scaled cosine.",
    change={"cosines(images, texts) + bias": "cosines(images, texts) - bias"},
)


wrong(
    "bias_scaled",
    why="The bias is multiplied by the scale, too; it is added after scaling.",
    change={"scale * cosines(images, texts) + bias": "scale * (cosines(images, texts) + bias)"},
)


wrong(
    "pairs_alone",
    why="Only pairs are judged; without the others, all vectors may be equal.",
    change={"F.logsigmoid(signs * scores)": "F.logsigmoid(signs * scores).diagonal()"},
)


wrong(
    "signs_swapped",
    why="The signs are swapped: pairs count as wrong, and all others as pairs.",
    change={"F.logsigmoid(signs * scores)": "F.logsigmoid(-signs * scores)"},
)


wrong(
    "targets_for_signs",
    why="Combinations that are no pairs have the sign 0; it must be −1, or they teach nothing.",
    change={
        "2 * torch.eye(len(scores), device=scores.device) - 1": (
            "torch.eye(len(scores), device=scores.device)"
        )
    },
)


wrong(
    "logarithm_of_a_sigmoid",
    why="The logarithm of a sigmoid that has rounded to 0 is −∞; use `F.logsigmoid`.",
    change={"F.logsigmoid(signs * scores)": "torch.sigmoid(signs * scores).log()"},
    corner=True,
)


@wrong(why="These are inner products; divide each vector by its length.")
def lengths_left_in(images, texts, scale, bias):
    scores = scale * images @ texts.T + bias
    signs = 2 * torch.eye(len(scores), dtype=scores.dtype) - 1
    return -F.logsigmoid(signs * scores).sum() / len(scores)
