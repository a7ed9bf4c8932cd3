"""Right and wrong answers to `self_attention.entropy`."""

import torch

from grader.author.answers import equivalent, right, wrong


@right
def x_log_y(weights):
    return -torch.xlogy(weights, weights).sum(-1)


@right
def clamped_to_the_smallest_number(weights):
    surprise = -weights.clamp(min=torch.finfo(weights.dtype).tiny).log()
    return torch.einsum("...k,...k->...", weights, surprise)


wrong(
    "zero_times_infinity",
    why=("A weight of 0 gave 0 · ln 0 = 0 · (−∞) = NaN; such a weight adds nothing."),
    change={"torch.where(weights > 0, weights, 1.0).log()": "weights.log()"},
)


wrong(
    "in_bits",
    why="You took the logarithm to base 2, which gives bits; for nats, take the natural logarithm.",
    change={".log()": ".log2()"},
)


wrong(
    "mean_over_keys",
    why="The entropy is the *sum* of −p ln p over the keys, not their mean.",
    change={".sum(dim=-1)": ".mean(dim=-1)"},
)


wrong(
    "sum_over_queries",
    why=(
        "You summed over the queries; each query has its own entropy, a sum over its keys, which "
        "are on the last axis."
    ),
    change={".sum(dim=-1)": ".sum(dim=0)"},
)


wrong(
    "sum_over_everything",
    why="You summed over all axes and got one number; return one per query.",
    change={".sum(dim=-1)": ".sum()"},
)


wrong(
    "no_minus",
    why=("ln p is negative for p < 1: the minus sign in front of the sum is missing."),
    change={"return -(": "return ("},
)


wrong(
    "softmax_again",
    why=(
        "The weights came out of a softmax already; a second one makes them "
        "more even than they are."
    ),
    change={"return -(": ("weights = torch.softmax(weights, -1)\n    return -(")},
)


equivalent(
    "logs = torch.where(weights > 0, weights, 2.0).log()",
    why="any finite logarithm will do: it is multiplied by the weight 0",
)


wrong(
    "eps_inside",
    why=(
        "You added a small number under the logarithm. It keeps 0 · ln 0 finite, and changes every "
        "other weight that is as small."
    ),
    change={"torch.where(weights > 0, weights, 1.0).log()": "(weights + 1e-9).log()"},
    corner=True,
)


wrong(
    "clamped_too_high",
    why=(
        "You raised small weights to a bound, and weights may be below it; only 0 needs special "
        "handling."
    ),
    change={"torch.where(weights > 0, weights, 1.0).log()": "weights.clamp(min=1e-8).log()"},
    corner=True,
)
