"""Right and wrong answers to `contrastive.clip_loss`."""

import torch
from torch.nn import functional as F

from grader.author.answers import right, wrong
from solutions.contrastive import cosines


@right
def by_log_softmax(images, texts, scale):
    images = images / images.norm(dim=1, keepdim=True)
    texts = texts / texts.norm(dim=1, keepdim=True)
    scores = torch.einsum("id,jd->ij", images, texts) * scale
    rows = scores.log_softmax(dim=1).diagonal()
    columns = scores.log_softmax(dim=0).diagonal()
    return -(rows + columns).mean() / 2


@right
def pair_by_pair(images, texts, scale):
    total = 0
    for row in range(len(images)):
        to_texts = F.cosine_similarity(images[row : row + 1], texts, dim=1) * scale
        to_images = F.cosine_similarity(texts[row : row + 1], images, dim=1) * scale
        total = total + to_texts.logsumexp(0) - to_texts[row]
        total = total + to_images.logsumexp(0) - to_images[row]
    return total / (2 * len(images))


wrong(
    "one_direction",
    why="Only images look for their texts; each text has to find its image, too.",
    change={
        "(F.cross_entropy(scores, partners) + F.cross_entropy(scores.T, partners)) / 2": (
            "F.cross_entropy(scores, partners)"
        )
    },
)


@wrong(why="Only texts look for their images; each image has to find its text, too.")
def texts_alone(images, texts, scale):
    scores = scale * cosines(texts, images)
    return F.cross_entropy(scores, torch.arange(len(scores), device=scores.device))


wrong(
    "sum_of_both",
    why="The two losses are added; the loss is their mean.",
    change={") / 2": ")"},
)


wrong(
    "divided_by_the_scale",
    why="You divided by the scale, as if it were the temperature τ; it is 1/τ, a factor.",
    change={"scale * cosines(images, texts)": "cosines(images, texts) / scale"},
)


wrong(
    "scale_left_out",
    why="The cosines are not scaled; without a scale the softmax cannot become confident.",
    change={"scale * cosines(images, texts)": "cosines(images, texts) + 0 * scale"},
)


@wrong(
    why="These are inner products; without dividing by the lengths, long vectors win everywhere."
)
def lengths_left_in(images, texts, scale):
    scores = scale * images @ texts.T
    partners = torch.arange(len(scores), device=scores.device)
    return (F.cross_entropy(scores, partners) + F.cross_entropy(scores.T, partners)) / 2


@wrong(why="All vectors are divided by one length, that of the whole matrix; each has its own.")
def one_length_for_all(images, texts, scale):
    scores = scale * (images / images.norm()) @ (texts / texts.norm()).T
    partners = torch.arange(len(scores), device=scores.device)
    return (F.cross_entropy(scores, partners) + F.cross_entropy(scores.T, partners)) / 2


@wrong(why="The loss is 1 minus the cosine of each pair; without negatives, all vectors collapse.")
def pairs_alone(images, texts, scale):
    return (1 - cosines(images, texts).diagonal()).mean() * scale


@wrong(
    why="Exponentials are taken before their sum; with a large scale they overflow.", corner=True
)
def overflows(images, texts, scale):
    scores = (scale * cosines(images, texts)).exp()
    own = scores.diagonal()
    return -((own / scores.sum(1)).log() + (own / scores.sum(0)).log()).mean() / 2
