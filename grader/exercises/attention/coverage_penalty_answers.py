"""Right and wrong answers to `attention.coverage_penalty`."""

import torch

from grader.author.answers import right, wrong


@right
def with_einsum(weights, source, target):
    given = torch.einsum("bts->bs", torch.where(target[..., None], weights, 0.0))
    logs = torch.where(source & (given < 1), given, 1.0).log()
    return logs.sum(1)


@right
def sentence_by_sentence(weights, source, target):
    found = []
    for a, here, there in zip(weights, source, target, strict=True):
        coverage = a[there][:, here].sum(dim=0)
        found.append(torch.minimum(coverage, torch.ones_like(coverage)).log().sum())
    return torch.stack(found)


wrong(
    "never_cut",
    why=(
        "Without the cut at 1, a position that was attended to twice makes up for one "
        "that was left out."
    ),
    change={".clamp(max=1)": ""},
)


wrong(
    "cut_from_below",
    why="You took the larger of coverage and 1; then nothing is ever missing.",
    change={".clamp(max=1)": ".clamp(min=1)"},
)


wrong(
    "padded_targets_counted",
    why="The padding of the target is no output, so its weights cover nothing.",
    change={".masked_fill(~target[:, :, None], 0.0)": ""},
)


wrong(
    "padded_targets_times_zero",
    why=(
        "The weights in the padding of the target were multiplied by 0, and 0 · NaN is NaN; fill "
        "in 0 instead."
    ),
    change={
        "weights.masked_fill(~target[:, :, None], 0.0)": "(weights * target[:, :, None])",
    },
    corner=True,
)


wrong(
    "padded_sources_counted",
    why="The padding of the source need not be covered; yours makes it cost something.",
    change={".masked_fill(~source, 1.0)": ""},
)


wrong(
    "nan_from_the_padding",
    why=(
        "You erased the padding after the logarithm: where it got no weight, ln 0 = −∞ is gone "
        "from the value, but NaN stays in the gradient. Fill in a 1 before the logarithm."
    ),
    change={".masked_fill(~source, 1.0).log()": ".log().masked_fill(~source, 0.0)"},
)


wrong(
    "over_the_source",
    why=(
        "You summed along the source: that is 1 for every row of weights. The coverage of a source "
        "position is the sum over the target."
    ),
    change={
        ".masked_fill(~target[:, :, None], 0.0).sum(dim=1)": (
            ".masked_fill(~target[:, :, None], 0.0).sum(dim=2)"
        ),
        ".masked_fill(~source, 1.0)": ".masked_fill(~target, 1.0)",
    },
)


wrong(
    "mean_over_the_source",
    why="You took the mean over the source positions; return the sum.",
    change={"log().sum(dim=-1)": "log().mean(dim=-1)"},
)


wrong(
    "logarithm_inside",
    why="You took the logarithm of every weight; it belongs outside the sum over the target.",
    change={
        "weights.masked_fill(~target[:, :, None], 0.0).sum(dim=1)": (
            "weights.log().masked_fill(~target[:, :, None], 0.0).sum(dim=1).exp()"
        )
    },
)


wrong(
    "no_logarithm",
    why=(
        "You summed the coverage itself; its logarithm makes a position that was left out cost "
        "much."
    ),
    change={".masked_fill(~source, 1.0).log()": ".masked_fill(~source, 0.0)"},
)


wrong(
    "softened",
    why="You added a small number under the logarithm: a position without any weight must cost −∞.",
    change={".clamp(max=1)": ".clamp(min=1e-6, max=1)"},
    corner=True,
)


wrong(
    "over_the_batch",
    why="You returned one number for the whole batch; return one per sentence.",
    change={"log().sum(dim=-1)": "log().sum()"},
)


wrong(
    "infinity_times_zero",
    why=(
        "You multiplied by 0 in the padding of the target. Where a source position got nothing, "
        "the gradient of ln 0 is infinite, and ∞ · 0 is NaN: fill in 0 instead."
    ),
    change={
        "weights.masked_fill(~target[:, :, None], 0.0)": (
            "(weights.nan_to_num() * target[:, :, None])"
        ),
    },
    corner=True,
)
