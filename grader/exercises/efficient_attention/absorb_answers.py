"""Right and wrong answers to `efficient_attention.absorb`."""

import math

import torch

from grader.author.answers import equivalent, right, wrong


@right
def ones_as_one_more_value(maximum, total, output, scores, value):
    new = torch.maximum(maximum, scores.max(dim=-1).values)
    base = torch.where(torch.isinf(new), torch.zeros_like(new), new)
    value = torch.cat([value, torch.ones_like(value[..., :1])], dim=-1)
    sums = torch.cat([output, total[..., None]], dim=-1)
    sums = sums * (maximum - base).exp()[..., None] + (scores - base[..., None]).exp() @ value
    return new, sums[..., -1], sums[..., :-1]


@right
def two_softmaxes_joined(maximum, total, output, scores, value):
    own = scores.amax(-1)
    weights = torch.exp(scores - own.clamp(min=torch.finfo(own.dtype).min)[..., None])
    own_total, own_output = weights.sum(-1), torch.einsum("...qk,...kd->...qd", weights, value)
    both = torch.stack([maximum, own])
    larger = both.amax(0)
    old, new = torch.where(both == -math.inf, torch.zeros_like(both), (both - larger).exp())
    return (
        larger,
        old * total + new * own_total,
        old.unsqueeze(-1) * output + new.unsqueeze(-1) * own_output,
    )


wrong(
    "total_not_rescaled",
    why=(
        "The maximum grew and the total was not multiplied by exp(old − new): the old part of the "
        "sum is still written relative to the old maximum."
    ),
    change={"scale * total + weights.sum(dim=-1)": "total + weights.sum(dim=-1)"},
)


wrong(
    "output_not_rescaled",
    why=(
        "The total was rescaled and the output was not: the values seen so far count too much from "
        "then on."
    ),
    change={"scale[..., None] * output + weights": "output + weights"},
)


wrong(
    "scaled_the_other_way",
    why="The factor is exp(old − new), at most 1; exp(new − old) grows, and soon overflows.",
    change={"torch.exp(maximum - base)": "torch.exp(base - maximum)"},
)


wrong(
    "maximum_of_the_new_alone",
    why=(
        "The maximum became that of the new keys, also where an old one is larger: the factor "
        "exp(old − new) then overflows where scores differ by hundreds."
    ),
    change={"torch.maximum(maximum, scores.amax(dim=-1))": "scores.amax(dim=-1)"},
)


wrong(
    "maximum_kept",
    why="The maximum never moves from its first value, so that larger scores overflow.",
    change={
        "larger = torch.maximum(maximum, scores.amax(dim=-1))": (
            "larger = torch.where(maximum == -math.inf, scores.amax(dim=-1), maximum)"
        )
    },
)


wrong(
    "one_maximum_for_all_queries",
    why="Each query has a maximum of its own; one for all lets the sums of the others vanish.",
    change={"scores.amax(dim=-1))": "scores.amax())"},
)


wrong(
    "infinity_minus_infinity",
    why="Where no key has been allowed yet, −∞ − (−∞) is NaN, and stays NaN ever after.",
    change={"larger.masked_fill(larger == -math.inf, 0.0)": "larger"},
)


wrong(
    "divided_already",
    why=(
        "The output was divided by the total. It stays undivided until the last key is "
        "in: otherwise "
        "the next keys are added to a mean and not to a sum."
    ),
    change={
        "        scale[..., None] * output + weights @ value,\n": (
            "        (scale[..., None] * output + weights @ value)\n"
            "        / (scale * total + weights.sum(dim=-1))[..., None],\n"
        )
    },
)


wrong(
    "no_exponential_of_the_new",
    why="The new keys got a separate softmax, which sums to 1 whatever the old keys weigh.",
    change={"torch.exp(scores - base[..., None])": "torch.softmax(scores, dim=-1)"},
)


equivalent(
    "base = larger.masked_fill(larger == -math.inf, 1.0)",
    why="Where every score is −∞, exp(−∞ − base) is 0 for any finite base.",
)


wrong(
    "clamped_base",
    why=(
        "The maximum was clamped from below by a large negative number. Allowed scores may be "
        "smaller still; only −∞ itself needs another base."
    ),
    change={
        "larger.masked_fill(larger == -math.inf, 0.0)  # −∞ − (−∞) would be NaN": (
            "larger.clamp(min=-1e30)"
        )
    },
    corner=True,
)
