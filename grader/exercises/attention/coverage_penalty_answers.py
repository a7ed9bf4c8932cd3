"""Right and wrong answers to `attention.coverage_penalty`."""

import torch

from grader.author.answers import right, wrong


@right
def with_einsum(weights, source, target):
    given = torch.einsum("bts,bt->bs", weights, target.to(weights.dtype))
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
        "Without the cut at 1, a position that was looked at twice makes up for one that was left "
        "out."
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
    why="What stands in the padding of the target has not been written, and covers nothing.",
    change={"(weights * target[:, :, None])": "weights"},
)


wrong(
    "padded_sources_counted",
    why="The padding of the source need not be covered; you let it cost.",
    change={".masked_fill(~source, 0.0)": ""},
)


wrong(
    "over_the_source",
    why=(
        "You summed along the source: that is 1 for every row of weights. The coverage of a source "
        "position is the sum over the target."
    ),
    change={
        "coverage = (weights * target[:, :, None]).sum(dim=1)": (
            "coverage = (weights * target[:, :, None]).sum(dim=2)"
        ),
        ".masked_fill(~source, 0.0)": ".masked_fill(~target, 0.0)",
    },
)


wrong(
    "mean_over_the_source",
    why="The sum over the source positions is asked for; you took the mean.",
    change={"0.0).sum(dim=-1)": "0.0).mean(dim=-1)"},
)


wrong(
    "logarithm_inside",
    why="You took the logarithm of every weight; it belongs outside the sum over the target.",
    change={
        "(weights * target[:, :, None]).sum(dim=1)": (
            "(weights.log() * target[:, :, None]).sum(dim=1).exp()"
        )
    },
)


wrong(
    "no_logarithm",
    why="You summed how much is covered; its logarithm makes what was left out cost much.",
    change={".clamp(max=1).log()": ".clamp(max=1)"},
)


wrong(
    "softened",
    why="You added a little under the logarithm: what got nothing costs −∞ here.",
    change={".clamp(max=1).log()": ".clamp(min=1e-6, max=1).log()"},
)


wrong(
    "over_the_batch",
    why="One number per sentence is asked for; yours is one for the whole batch.",
    change={"0.0).sum(dim=-1)": "0.0).sum()"},
)
