"""Right and wrong answers to `bert.mlm_loss`."""

import torch
from torch.nn import functional as F

from grader.author.answers import right, wrong


@right
def with_log_softmax(logits, labels):
    asked = labels != -100
    found = logits.log_softmax(-1)
    picked = found.gather(-1, labels.clamp(min=0).unsqueeze(-1)).squeeze(-1)
    count = asked.sum()
    return -torch.where(asked, picked, 0.0).sum() / torch.where(count > 0, count, 1)


@right
def with_ignore_index(logits, labels):
    flat = F.cross_entropy(
        logits.reshape(-1, logits.shape[-1]),
        labels.reshape(-1),
        ignore_index=-100,
        reduction="none",
    )
    asked = (labels >= 0).sum().item()
    return flat.sum() / max(asked, 1)


wrong(
    "divided_by_all",
    why=(
        "The sum is divided by all positions: with 15 % chosen the loss looks nearly seven times "
        "too good, and depends on how much padding there is."
    ),
    change={"asked.sum().clamp(min=1)": "labels.numel()"},
)


wrong(
    "not_divided",
    why="The losses were summed; return their mean over the tokens that are to be predicted.",
    change={"return losses / asked.sum().clamp(min=1)": "return losses"},
)


@wrong(
    why=("Rows were averaged first: a row with one chosen token counts as much as a row with ten.")
)
def mean_of_rows(logits, labels):
    asked = labels != -100
    found = F.log_softmax(logits, dim=-1)
    losses = -found.gather(-1, labels.clamp(min=0)[..., None])[..., 0] * asked
    rows = losses.sum(-1) / asked.sum(-1).clamp(min=1)
    return rows.mean()


@wrong(why="Every position is in the loss, with −100 taken for token 0 where there is no label.")
def all_positions(logits, labels):
    found = F.log_softmax(logits, dim=-1)
    return -found.gather(-1, labels.clamp(min=0)[..., None]).mean()


wrong(
    "nan_where_nothing_is_asked",
    why="Without any label your loss is 0 / 0 = NaN, and one such batch ruins all weights.",
    change={"asked.sum().clamp(min=1)": "asked.sum()"},
)


wrong(
    "token_zero_ignored",
    why="You treated label 0 as *no label*; token 0 is an ordinary one, and −100 means no label.",
    change={"labels != NOT_ASKED": "labels > 0"},
)


@wrong(why="Softmax was applied before a loss that applies it itself.")
def softmax_twice(logits, labels):
    asked = labels != -100
    losses = F.cross_entropy(logits.softmax(-1)[asked], labels[asked], reduction="sum")
    return losses / asked.sum().clamp(min=1)


wrong(
    "in_bits",
    why="The loss is in bits; it is in nats, with the natural logarithm.",
    change={"return losses /": "return 1.4426950408889634 * losses /"},
)
