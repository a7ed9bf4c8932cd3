"""Right and wrong answers to `seq2seq.sequence_loss`."""

import torch
from torch.nn import functional as F

from grader.author.answers import right, wrong


@right
def ignoring(logits, target, *, pad=0):
    return F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=pad)


@right
def by_hand(logits, target, *, pad=0):
    total, count = 0.0, 0
    for row, asked in zip(logits, target, strict=True):
        for scores, token in zip(row, asked.tolist(), strict=True):
            if token != pad:
                total = total + torch.logsumexp(scores, dim=0) - scores[token]
                count += 1
    return total / count


@right
def gathered(logits, target, *, pad=0):
    where = (target != pad).nonzero(as_tuple=True)
    kept = logits[where]
    return -kept.log_softmax(-1).gather(1, target[where][:, None]).mean()


wrong(
    "padding_counted",
    why=(
        "The padding is counted: the model is trained to predict padding, which is easy, so the "
        "loss soon looks lower than it is."
    ),
    change={"real = target != pad": "real = torch.ones_like(target, dtype=torch.bool)"},
)


@wrong(
    why=(
        "The loss at padding is set to zero, but it still counts in the mean: divided by B · T, "
        "the loss gets smaller with every position of padding."
    )
)
def zeros_in_the_mean(logits, target, *, pad=0):
    losses = F.cross_entropy(logits.transpose(1, 2), target, reduction="none")
    return torch.where(target != pad, losses, 0.0).mean()


@wrong(
    why=(
        "You took the mean of each sequence, and then the mean of these: the token of a short "
        "sequence counts more than that of a long one."
    )
)
def mean_of_means(logits, target, *, pad=0):
    rows = [
        F.cross_entropy(scores[asked != pad], asked[asked != pad])
        for scores, asked in zip(logits, target, strict=True)
        if (asked != pad).any()
    ]
    return torch.stack(rows).mean()


@wrong(
    why=(
        "You divided by the number of sequences, not of tokens: a batch of long sequences then has "
        "a larger loss and larger gradients than one of short ones."
    )
)
def per_sequence(logits, target, *, pad=0):
    real = target != pad
    return F.cross_entropy(logits[real], target[real], reduction="sum") / len(target)


wrong(
    "summed",
    why="A sum grows with the batch; the loss is a mean over the tokens that are there.",
    change={"target[real])": "target[real], reduction='sum')"},
)


wrong(
    "mask_inverted",
    why="The loss is taken over the padding, and the tokens are left out.",
    change={"target != pad  # (B, T)": "target == pad"},
)


wrong(
    "padding_is_always_zero",
    why="The padding token is an argument; other vocabularies number it differently.",
    change={"target != pad  # (B, T)": "target != 0"},
)


@wrong(
    why=(
        "Everything after the first padding token was left out: here padding may stand anywhere, "
        "and every token that is there counts."
    ),
    corner=True,
)
def up_to_the_first_padding(logits, target, *, pad=0):
    real = (target == pad).cumsum(dim=1) == 0
    return F.cross_entropy(logits[real], target[real])


@wrong(
    why=(
        "Multiplied by the mask, a NaN at the padding stays NaN, because 0 · NaN is NaN: select "
        "the tokens instead."
    ),
    corner=True,
)
def mask_multiplied(logits, target, *, pad=0):
    real = (target != pad).to(logits.dtype)
    losses = F.cross_entropy(logits.transpose(1, 2), target, reduction="none")
    return (losses * real).sum() / real.sum()


wrong(
    "softmax_twice",
    why=(
        "A softmax was taken before the cross-entropy, which takes one itself: the loss can no "
        "longer get near zero, and gradients are small."
    ),
    change={"(logits[real]": "(logits[real].softmax(-1)"},
)
