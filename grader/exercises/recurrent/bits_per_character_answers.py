"""Right and wrong answers to `recurrent.bits_per_character`."""

import math

import torch
from torch.nn import functional as F

from grader.author.answers import right, wrong


@right
def with_cross_entropy(logits, target, mask=None):
    flat, asked = logits.reshape(-1, logits.shape[-1]), target.reshape(-1)
    if mask is not None:
        flat, asked = flat[mask.reshape(-1)], asked[mask.reshape(-1)]
    return F.cross_entropy(flat, asked) * 1.4426950408889634


@right
def against_the_chosen(logits, target, mask=None):
    if mask is not None:
        logits = torch.where(mask.unsqueeze(-1), logits, 0.0)
    hot = torch.arange(logits.shape[-1], device=logits.device) == target.unsqueeze(-1)
    chosen = torch.where(hot, logits, torch.zeros_like(logits)).sum(-1)
    nats = torch.logsumexp(logits, dim=-1) - chosen
    counts = torch.ones_like(nats) if mask is None else mask.to(nats.dtype)
    return (nats * counts).sum() / counts.sum() / math.log(2)


wrong(
    "nats",
    why="These are nats; one bit is ln 2 nats.",
    change={" / math.log(2)": ""},
)


wrong(
    "multiplied",
    why="You multiplied by ln 2: one nat is 1.44 bits, so the number grows.",
    change={" / math.log(2)": " * math.log(2)"},
)


wrong(
    "mask_ignored",
    why="The positions that the mask leaves out are counted too.",
    change={"logits, target = logits[mask], target[mask]": "target = target.clamp(min=0)"},
)


wrong(
    "mask_zeroed",
    why=(
        "The masked positions are included in the mean as zero bits: padding makes the model "
        "look better."
    ),
    change={
        "logits, target = logits[mask], target[mask]": "target = torch.where(mask, target, 0)",
        "return -chosen.mean() / math.log(2)": (
            "chosen = chosen if mask is None else torch.where(mask[..., None], chosen, 0.0)\n"
            "    return -chosen.mean() / math.log(2)"
        ),
    },
)


wrong(
    "mask_inverted",
    why="True means that a position counts; you counted the others.",
    change={"logits[mask], target[mask]": "logits[~mask], target[~mask].clamp(min=0)"},
)


wrong(
    "no_softmax",
    why=("The logits were treated as log-probabilities: apply the log-softmax first."),
    change={"logits.log_softmax(dim=-1)": "logits"},
)


wrong(
    "summed",
    why="A sum grows with the text; bits per character are a mean.",
    change={"chosen.mean()": "chosen.sum()"},
)


wrong(
    "sign",
    why="The logarithm of a probability is negative; bits are its opposite.",
    change={"return -chosen": "return chosen"},
)


wrong(
    "mean_probability",
    why=(
        "You averaged the probabilities and then took the logarithm; each symbol has its own "
        "cost, and the mean is over these costs."
    ),
    change={"-chosen.mean()": "-chosen.exp().mean().log()"},
)


wrong(
    "zero_times_what_does_not_count",
    why=(
        "The positions that do not count were multiplied by 0, but 0 · NaN and 0 · ∞ are NaN: "
        "select the positions first, then compute."
    ),
    change={
        "logits, target = logits[mask], target[mask]": "target = torch.where(mask, target, 0)",
        "return -chosen.mean() / math.log(2)": (
            "counts = torch.ones_like(chosen) if mask is None else mask[..., None].to(chosen)\n"
            "    return -(chosen * counts).sum() / counts.sum() / math.log(2)"
        ),
    },
    corner=True,
)


wrong(
    "chosen_after_the_lookup",
    why=(
        "The targets were looked up before the mask was applied; a target that does not count "
        "need not be a symbol: it can be −100, for example."
    ),
    change={
        "    if mask is not None:\n        logits, target = logits[mask], target[mask]"
        "  # (n, symbols), (n,)\n": "",
        "return -chosen": "chosen = chosen if mask is None else chosen[mask]\n    return -chosen",
    },
    corner=True,
)
