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
        "When the maximum grew, you did not multiply the total by exp(old − new): its old part is "
        "still relative to the old maximum."
    ),
    change={"scale * total + weights.sum(dim=-1)": "total + weights.sum(dim=-1)"},
)


wrong(
    "output_not_rescaled",
    why=(
        "You rescaled the total but not the output: the values seen so far then have too much "
        "weight."
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
        "You took the maximum of the new keys, even if an old one is larger: the factor exp(old − "
        "new) overflows if scores differ by hundreds."
    ),
    change={"torch.maximum(maximum, scores.amax(dim=-1))": "scores.amax(dim=-1)"},
)


wrong(
    "maximum_kept",
    why="You never update the maximum, so larger scores overflow.",
    change={
        "larger = torch.maximum(maximum, scores.amax(dim=-1))": (
            "larger = torch.where(maximum == -math.inf, scores.amax(dim=-1), maximum)"
        )
    },
)


wrong(
    "one_maximum_for_all_queries",
    why=(
        "Each query has its own maximum; with a single one for all, the sums of other queries "
        "round to 0."
    ),
    change={"scores.amax(dim=-1))": "scores.amax())"},
)


wrong(
    "infinity_minus_infinity",
    why="If no key has been allowed yet, −∞ − (−∞) is NaN, and all later results are NaN, too.",
    change={"larger.masked_fill(larger == -math.inf, 0.0)": "larger"},
)


wrong(
    "divided_already",
    why=(
        "You divided the output by the total. Divide only after the last key: otherwise the next "
        "keys are added to a mean and not to a sum."
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
    why=(
        "You gave the new keys a separate softmax, which sums to 1 whatever the weight of the old "
        "keys is."
    ),
    change={"torch.exp(scores - base[..., None])": "torch.softmax(scores, dim=-1)"},
)


equivalent(
    "base = larger.masked_fill(larger == -math.inf, 1.0)",
    why="Where every score is −∞, exp(−∞ − base) is 0 for any finite base.",
)


wrong(
    "clamped_base",
    why=(
        "You clamped the maximum from below at a large negative number. Allowed scores may be "
        "smaller still; only −∞ itself needs another base."
    ),
    change={
        "larger.masked_fill(larger == -math.inf, 0.0)  # −∞ − (−∞) would be NaN": (
            "larger.clamp(min=-1e30)"
        )
    },
    corner=True,
)
