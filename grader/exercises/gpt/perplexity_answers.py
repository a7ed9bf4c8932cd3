"""Right and wrong answers to `gpt.perplexity`."""

import math

import torch

from grader.author.answers import right, wrong


@right
def by_sum_and_count(losses, mask):
    total = torch.where(mask, losses, torch.zeros_like(losses)).sum()
    return torch.exp(total / mask.sum())


@right
def geometric_mean(losses, mask):
    counted = losses.masked_select(mask)
    return math.e ** (counted / counted.numel()).sum()


@wrong(
    why=(
        "You took the mean of each row first, and then the mean over rows: a token in a short row "
        "counts for more than one in a long row."
    )
)
def mean_of_rows(losses, mask):
    rows = [row[real].mean() for row, real in zip(losses, mask, strict=True) if real.any()]
    return torch.stack(rows).mean().exp()


@wrong(
    why=(
        "You averaged the perplexities of the rows. The exponential comes after the mean over all "
        "tokens: otherwise one hard row outweighs all others."
    )
)
def mean_of_perplexities(losses, mask):
    rows = [row[real].mean().exp() for row, real in zip(losses, mask, strict=True) if real.any()]
    return torch.stack(rows).mean()


wrong(
    "exp_first",
    why=(
        "You took the exponential of each loss, and then the mean: a single token that the model "
        "considered impossible makes it infinite."
    ),
    change={".mean().exp()": ".exp().mean()"},
)


wrong(
    "padding_counts",
    why="You ignored the mask, so padding counts.",
    change={"losses[mask]": "losses"},
)


wrong(
    "zeros_counted",
    why=(
        "You set the loss of padding to 0 and counted it, which makes every model look better than "
        "it is."
    ),
    change={"losses[mask].mean()": "losses.masked_fill(~mask, 0).mean()"},
)


wrong(
    "base_two",
    why="You raised 2 to a loss in nats; for nats the base is e. (2 would be right for bits.)",
    change={".exp()": ".exp2()"},
)


wrong(
    "no_exponential",
    why="This is the mean loss; the perplexity is e raised to it.",
    change={".exp()": ""},
)


wrong(
    "of_the_sum",
    why="The exponential of the sum grows with the length of the text: take the mean.",
    change={".mean()": ".sum()"},
)


@wrong(why="You multiplied the losses by the mask: if padding is NaN, NaN · 0 is NaN.", corner=True)
def multiplied_by_the_mask(losses, mask):
    return ((losses * mask).sum() / mask.sum()).exp()


wrong(
    "zeros_left_out",
    why="You left out losses of 0, as if they were padding: a token that was certain counts, too.",
    change={"losses[mask]": "losses[mask & (losses != 0)]"},
)
