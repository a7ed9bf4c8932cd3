"""Right and wrong answers to `attention.masked_softmax`."""

import math

import torch

from grader.author.answers import right, wrong


@right
def exponentials_by_hand(scores, mask=None):
    if mask is None:
        mask = torch.ones((), dtype=torch.bool)
    if mask.dtype is not torch.bool:
        raise ValueError("a mask is bool")
    mask = mask.expand(scores.shape)
    top = torch.where(mask, scores, -math.inf).detach().amax(-1, keepdim=True)
    top = torch.where(top > -math.inf, top, 0.0)
    raised = torch.where(mask, scores - top, -math.inf)
    raised = torch.where(mask, raised, 0.0).exp() * mask
    total = raised.sum(-1, keepdim=True)
    return raised / torch.where(total > 0, total, 1.0)


@right
def row_by_row(scores, mask=None):
    if mask is None:
        return scores.softmax(-1)
    if mask.dtype != torch.bool:
        raise ValueError(f"True may attend, got {mask.dtype}")
    keys = scores.shape[-1]
    rows = scores.reshape(-1, keys)
    allowed = torch.broadcast_to(mask, scores.shape).reshape(-1, keys)
    found = []
    for row, here in zip(rows, allowed, strict=True):
        weights = torch.zeros_like(row)
        found.append(weights.masked_scatter(here, row[here].softmax(0)))
    return torch.stack(found).reshape(scores.shape)


wrong(
    "mask_inverted",
    why="The mask is inverted: True *may* be attended to, padding is False.",
    change={
        "scores.masked_fill(~mask, -math.inf)": "scores.masked_fill(mask, -math.inf)",
        "torch.softmax(scores, dim=-1).masked_fill(~mask, 0.0)": (
            "torch.softmax(scores, dim=-1).masked_fill(mask, 0.0)"
        ),
    },
)


wrong(
    "over_queries",
    why=(
        "Your columns sum to 1: the softmax ran over the queries. Each query divides its own "
        "attention among the keys, on the last axis."
    ),
    change={
        "return torch.softmax(scores, dim=-1)\n": "return torch.softmax(scores, dim=-2)\n",
        "torch.softmax(scores, dim=-1).masked": "torch.softmax(scores, dim=-2).masked",
    },
)


wrong(
    "mask_after_softmax",
    why=(
        "You set weights to 0 after the softmax. The masked keys had taken their share by then, "
        "and the rows no longer sum to 1."
    ),
    change={"scores = scores.masked_fill(~mask, -math.inf)": ("scores = scores + 0.0")},
)


wrong(
    "masked_scores_zero",
    why="You gave masked scores a 0, and exp(0) = 1 is a weight like any other.",
    change={
        "masked_fill(~mask, -math.inf)": "masked_fill(~mask, 0.0)",
        "dim=-1).masked_fill(~mask, 0.0)": "dim=-1)",
    },
)


wrong(
    "minus_1e4",
    why=(
        "You filled with −10⁴ in place of −∞. A score may be lower than that, and then the masked "
        "keys get all the weight; and a row without keys gets even weights."
    ),
    change={
        "masked_fill(~mask, -math.inf)": "masked_fill(~mask, -1e4)",
        "dim=-1).masked_fill(~mask, 0.0)": "dim=-1)",
    },
)


wrong(
    "minus_1e9",
    why=(
        "You filled with −10⁹ in place of −∞: a row whose keys are all masked gets even weights, "
        "and must get zeros; and a score may be lower still."
    ),
    change={
        "masked_fill(~mask, -math.inf)": "masked_fill(~mask, -1e9)",
        "dim=-1).masked_fill(~mask, 0.0)": "dim=-1)",
    },
)


@wrong(
    why="exp was applied to the raw scores: large ones overflow, and very low ones all "
    "become 0. First subtract the largest score that may be attended to.",
    corner=True,
)
def no_maximum(scores, mask=None):
    if mask is None:
        return scores.softmax(dim=-1)
    if mask.dtype != torch.bool:
        raise ValueError("the mask must be bool")
    raised = torch.where(mask, torch.where(mask, scores, 0.0).exp(), 0.0)
    total = raised.sum(dim=-1, keepdim=True)
    return raised / torch.where(total == 0, 1.0, total)


wrong(
    "low_scores_lose_to_the_mask",
    why=(
        "You set weights to 0 after the softmax, but by then −10⁴ has taken weight from allowed "
        "scores that are lower: the weights of this row no longer sum to 1."
    ),
    change={"masked_fill(~mask, -math.inf)": "masked_fill(~mask, -1e4)"},
    corner=True,
)


wrong(
    "nan_without_keys",
    why=(
        "If all keys of a row are masked, your softmax computes 0/0, which is NaN; the row must be "
        "zeros."
    ),
    change={"dim=-1).masked_fill(~mask, 0.0)": "dim=-1)"},
)


wrong(
    "nan_in_the_gradient",
    why=(
        "You added M ∈ {0, −∞} and erased the NaN of a row without keys afterwards: the values are "
        "right, and the gradient still passes through the NaN. `masked_fill` lets none through."
    ),
    change={
        "scores = scores.masked_fill(~mask, -math.inf)": (
            "scores = scores + torch.zeros_like(scores).masked_fill(~mask, -math.inf)"
        )
    },
)


wrong(
    "mask_multiplied",
    why=(
        "You multiplied by the mask. A score of 0 still has the weight e⁰, and NaN times 0 is NaN; "
        "fill in, do not multiply."
    ),
    change={
        "scores = scores.masked_fill(~mask, -math.inf)": ("scores = scores * mask"),
        "dim=-1).masked_fill(~mask, 0.0)": "dim=-1)",
    },
)


wrong(
    "mask_added",
    why=("You added (1 − mask) · (−∞): where the mask is True this is 0 · ∞, which is NaN."),
    change={
        "scores = scores.masked_fill(~mask, -math.inf)": (
            "scores = scores + (~mask).to(scores.dtype) * -math.inf"
        )
    },
)


wrong(
    "exp_overflows",
    why="exp of a large score is infinite, and ∞/∞ is NaN; subtract the largest score first.",
    change={
        "return torch.softmax(scores, dim=-1)\n": (
            "return scores.exp() / scores.exp().sum(dim=-1, keepdim=True)\n"
        )
    },
    corner=True,
)


wrong(
    "any_mask",
    why="A numeric mask was accepted; it must be rejected, because it is unclear what 1 "
    "means in it.",
    change={
        "    if mask.dtype != torch.bool:": (
            "    mask = mask.bool()\n    if mask.dtype != torch.bool:"
        )
    },
    corner=True,
)


wrong(
    "batch_before_keys",
    why=(
        "You inserted an axis for the queries into a mask of two axes. A mask is broadcast from "
        "the right: its two axes are queries and keys, and it holds for the whole batch."
    ),
    change={
        "    scores = scores.masked_fill(~mask": (
            "    if mask.dim() == 2 and scores.dim() == 3:\n"
            "        mask = mask[:, None]\n"
            "    scores = scores.masked_fill(~mask"
        )
    },
    corner=True,
)


wrong(
    "lowest_number_filled_in",
    why=(
        "You filled in the lowest finite number where −∞ belongs. An allowed score may be as low, "
        "and then masked keys take part of its weight."
    ),
    change={"-math.inf": "torch.finfo(scores.dtype).min"},
    corner=True,
)


@wrong(
    why=(
        "You added a small number to the sum of each row to avoid dividing by 0, so no row sums to "
        "1. Only a row without keys has the sum 0; treat that row separately."
    ),
)
def a_small_number_in_the_sum(scores, mask=None):
    if mask is None:
        mask = torch.ones((), dtype=torch.bool)
    if mask.dtype != torch.bool:
        raise ValueError(f"mask must be bool, got {mask.dtype}")
    scores = scores.masked_fill(~mask, -math.inf)
    top = scores.detach().amax(-1, keepdim=True)
    raised = (scores - top.masked_fill(top == -math.inf, 0.0)).exp()
    return raised / (raised.sum(-1, keepdim=True) + 1e-9)
