"""Right and wrong answers to `attention.agreement`."""

import torch
from torch.nn import functional as F

from grader.author.answers import right, wrong


@right
def counted(weights, gold):
    looks = F.one_hot(weights.argmax(-1), weights.shape[-1]).bool()
    hits = (looks & gold).any(-1).sum()
    return hits.to(weights.dtype) / gold.any(-1).sum()


@right
def row_by_row(weights, gold):
    right = total = 0
    width = weights.shape[-1]
    for row, here in zip(weights.reshape(-1, width), gold.reshape(-1, width), strict=True):
        if here.any():
            total += 1
            right += bool(here[row.argmax()])
    return torch.tensor(right / total if total else torch.nan, dtype=weights.dtype)


wrong(
    "every_row_counts",
    why="A row without a gold position cannot be right; it is not to be counted as wrong.",
    change={"[gold.any(dim=-1)]": ""},
)


wrong(
    "mean_of_means",
    why=(
        "You averaged per sentence first, so a row of a short sentence counts more than one of a "
        "long one."
    ),
    change={
        "return gold.gather(-1, looks)[gold.any(dim=-1)].to(weights.dtype).mean()": (
            "hit, counts = gold.gather(-1, looks)[..., 0].to(weights.dtype), gold.any(dim=-1)\n"
            "    return ((hit * counts).sum(-1) / counts.sum(-1)).mean()"
        )
    },
)


wrong(
    "mass_instead",
    why="You measured how much weight lies on gold; count where the largest weight is.",
    change={
        "return gold.gather(-1, looks)[gold.any(dim=-1)]": (
            "return (weights * gold).sum(dim=-1)[gold.any(dim=-1)]"
        )
    },
)


wrong(
    "over_the_target",
    why="You took the largest weight of each *column*; each target position has its own row.",
    change={
        "weights.argmax(dim=-1, keepdim=True)": "weights.argmax(dim=-2, keepdim=True)",
        "gold.gather(-1, looks)[gold.any(dim=-1)]": (
            "gold.gather(-2, looks).squeeze(-2)[gold.any(dim=-2)]"
        ),
    },
)


wrong(
    "all_of_gold",
    why="One of the gold positions is enough; you accepted only the first of them.",
    change={"gold.gather(-1, looks)[": "(looks == gold.long().argmax(dim=-1, keepdim=True))["},
)


wrong(
    "last_of_equals",
    why="Of equal weights the first counts as the largest; you took the last.",
    change={
        "weights.argmax(dim=-1, keepdim=True)": (
            "weights.shape[-1] - 1 - weights.flip(-1).argmax(dim=-1, keepdim=True)"
        )
    },
    corner=True,
)


wrong(
    "smallest",
    why="You took the position with the smallest weight.",
    change={"weights.argmax(": "weights.argmin("},
)


wrong(
    "share_of_all_positions",
    why="You compared position by position; each row is right or wrong as a whole.",
    change={
        "return gold.gather(-1, looks)[": (
            "return (torch.zeros_like(gold).scatter(-1, looks, True) == gold)["
        )
    },
)
