"""Right and wrong answers to `attention.attention_block`."""

import math

import torch

from grader.author.answers import right, wrong
from solutions.attention import masked_softmax


@right
def with_einsum(h, x, mask=None):
    p = masked_softmax(torch.einsum("...d,...td->...t", h, x), mask)
    return torch.einsum("...t,...td->...d", p, x), p


@right
def products_summed(h, x, mask=None):
    scores = (h.unsqueeze(-2) * x).sum(-1)
    if mask is None:
        p = torch.softmax(scores, -1)
    else:
        scores = torch.where(mask, scores, -math.inf)
        none = ~mask.any(-1, keepdim=True)
        p = torch.softmax(torch.where(none, torch.zeros_like(scores), scores), -1) * mask
    return (p.unsqueeze(-1) * x).sum(-2), p


wrong(
    "scaled",
    why="Here p ∝ exp(h·x), without a division by √D.",
    change={"dot_score(h[..., None, :], x)": "dot_score(h[..., None, :], x, scaled=True)"},
)


wrong(
    "mask_not_handed_on",
    why="The mask makes no difference to your result.",
    change={"mask = None if mask is None else mask[..., None, :]": "mask = None"},
)


wrong(
    "mask_axis_at_the_end",
    why=(
        "The mask got its new axis at the end, so it hides whole queries; the axis of the one "
        "query comes before that of the positions."
    ),
    change={"else mask[..., None, :]": "else mask[..., :, None].all(dim=-2, keepdim=True)"},
)


wrong(
    "query_mixed_in",
    why="c is a mean of the x alone; you added what asked.",
    change={"return context[..., 0, :]": "return context[..., 0, :] + h"},
)


wrong(
    "no_exponential",
    why="You divided the products by their sum. They may be negative; p ∝ exp(h·x).",
    change={
        "context, weights = attend(dot_score(h[..., None, :], x), x, mask)": (
            "scores = dot_score(h[..., None, :], x)\n"
            "    scores = scores if mask is None else scores * mask\n"
            "    weights = scores / scores.sum(dim=-1, keepdim=True)\n"
            "    context = weights @ x"
        )
    },
)


wrong(
    "sum_for_mean",
    why="You summed exp(h·x) x_t without dividing by the sum of the weights.",
    change={
        "context, weights = attend(dot_score(h[..., None, :], x), x, mask)": (
            "weights = dot_score(h[..., None, :], x).exp()\n"
            "    weights = weights if mask is None else weights * mask\n"
            "    context = weights @ x"
        )
    },
)


wrong(
    "weights_first",
    why="c comes first, then p.",
    change={
        "return context[..., 0, :], weights[..., 0, :]": (
            "return weights[..., 0, :], context[..., 0, :]"
        )
    },
)


wrong(
    "over_the_batch",
    why="The softmax ran over the sequences of the batch; each sequence has weights of its own.",
    change={
        "context, weights = attend(dot_score(h[..., None, :], x), x, mask)": (
            "scores = dot_score(h[..., None, :], x)\n"
            "    if mask is not None:\n"
            "        scores = scores.masked_fill(~mask, -math.inf)\n"
            "    weights = scores.softmax(dim=0)\n"
            "    context = weights @ x"
        )
    },
)
