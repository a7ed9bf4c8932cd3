"""Right and wrong answers to `attention.attend`."""

import math

import torch

from grader.author.answers import right, wrong
from solutions.attention import masked_softmax


@right
def with_einsum(scores, value, mask=None):
    weights = masked_softmax(scores, mask)
    return torch.einsum("...qk,...kd->...qd", weights, value), weights


@right
def key_after_key(scores, value, mask=None):
    if mask is not None:
        if mask.dtype != torch.bool:
            raise ValueError("bool, please")
        mask = mask.expand(scores.shape)
        none = ~mask.any(-1, keepdim=True)
        weights = torch.where(mask | none, scores, -math.inf).softmax(-1) * mask
    else:
        weights = scores.softmax(-1)
    context = 0
    for j in range(value.shape[-2]):
        context = context + weights[..., j, None] * value[..., j, None, :]
    return context, weights


wrong(
    "mask_not_handed_on",
    why="The mask makes no difference: the padding is averaged with the rest.",
    change={"masked_softmax(scores, mask)": "masked_softmax(scores)"},
)


wrong(
    "no_softmax",
    why="You averaged by the scores themselves; these may be negative and sum to anything.",
    change={"masked_softmax(scores, mask)": "scores if mask is None else scores * mask"},
)


wrong(
    "swapped",
    why="The context comes first, the weights second.",
    change={"return weights @ value, weights": "return weights, weights @ value"},
)


wrong(
    "scores_returned",
    why="The second result is the weights, after the softmax; you returned the scores.",
    change={"return weights @ value, weights": "return weights @ value, scores"},
)


wrong(
    "values_squashed",
    why=(
        "You applied the softmax to the values; it belongs to the scores, and values are averaged "
        "as they are."
    ),
    change={"return weights @ value": "return weights @ value.softmax(dim=-2)"},
)


wrong(
    "hardest_only",
    why=(
        "You returned only the value with the largest weight. That is hard attention: no gradient "
        "could teach the network where to attend."
    ),
    change={
        "return weights @ value": (
            "return torch.eye(weights.shape[-1]).to(weights)[weights.argmax(-1)] @ value"
        )
    },
)


wrong(
    "softmax_over_queries",
    why="The softmax ran over the queries; each query has its own weights, which sum to 1.",
    change={
        "masked_softmax(scores, mask)": (
            "masked_softmax(scores.mT, None if mask is None else mask.expand(scores.shape).mT).mT"
        )
    },
)


wrong(
    "sum_over_queries",
    why="You transposed the weights, and so summed over the queries instead of the keys.",
    change={
        "return weights @ value": (
            "return (weights.mT if weights.shape[-1] == weights.shape[-2] else weights) @ value"
        )
    },
)


wrong(
    "bytes_for_bool",
    why="You accepted a mask of 0s and 1s; a mask that is not bool must raise, whatever it holds.",
    change={
        "masked_softmax(scores, mask)": (
            "masked_softmax(\n"
            "        scores,\n"
            "        mask.bool() if mask is not None and mask.dtype == torch.uint8 else mask,\n"
            "    )"
        )
    },
    corner=True,
)
