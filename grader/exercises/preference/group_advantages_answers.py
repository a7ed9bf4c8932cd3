"""Right and wrong answers to `preference.group_advantages`."""

import torch

from grader.author.answers import equivalent, right, wrong


@right
def group_by_group(rewards, *, scale=True):
    rows = []
    for group in rewards:
        if group.max() == group.min():
            rows.append(torch.zeros_like(group))
            continue
        gain = group - group.mean()
        rows.append(gain / group.std(correction=0) if scale else gain)
    return torch.stack(rows)


@right
def by_var_mean(rewards, *, scale=True):
    variance, mean = torch.var_mean(rewards, dim=1, keepdim=True, correction=0)
    same = rewards.amax(1, True) == rewards.amin(1, True)
    gain = (rewards - mean).masked_fill(same, 0)
    return gain / variance.masked_fill(same, 1).sqrt() if scale else gain


wrong(
    "over_the_batch",
    why=(
        "You used mean and deviation of the whole batch: all answers to a hard prompt then look "
        "bad, and the model learns which prompts are hard."
    ),
    change={
        "rewards.mean(dim=1, keepdim=True)": "rewards.mean()",
        "centered.square().mean(dim=1, keepdim=True)": "centered.square().mean()",
    },
)


wrong(
    "deviation_of_the_batch",
    why=(
        "The mean is that of the group, but the deviation is that of the whole batch; use the "
        "group's."
    ),
    change={"centered.square().mean(dim=1, keepdim=True)": "centered.square().mean()"},
)


@wrong(
    why=(
        "You divided by G − 1 in the deviation, so for a single answer it is NaN. Here it divides "
        "by G."
    )
)
def by_one_less(rewards, *, scale=True):
    centered = rewards - rewards.mean(dim=1, keepdim=True)
    if not scale:
        return torch.where(rewards == rewards[:, :1], 0.0, centered)
    return centered / (rewards.std(dim=1, keepdim=True) + 1e-12)


@wrong(
    why=(
        "In a group of equal rewards you get 0 / 0 or, by rounding, numbers of any size: such a "
        "group teaches nothing, so return 0."
    ),
    corner=True,
)
def equal_rewards(rewards, *, scale=True):
    centered = rewards - rewards.mean(dim=1, keepdim=True)
    return centered / rewards.std(dim=1, keepdim=True, correction=0) if scale else centered


wrong(
    "divided_by_the_variance",
    why=(
        "You divided by the variance; its root, the standard deviation, has the unit of the "
        "rewards."
    ),
    change={".sqrt()": ""},
)


wrong(
    "never_scaled",
    why="You centered the rewards, but did not divide by their deviation.",
    change={"if scale:": "if False:"},
)


wrong(
    "always_scaled",
    why="You ignored `scale`: without it, only subtract the mean.",
    change={"if scale:": "if True:"},
)


@wrong(
    why=(
        "You added a small number to the deviation, but it is not small compared with rewards that "
        "are nearly equal. Test whether they are equal instead."
    )
)
def with_an_epsilon(rewards, *, scale=True):
    centered = rewards - rewards.mean(dim=1, keepdim=True)
    if scale:
        centered = centered / (rewards.std(dim=1, keepdim=True, correction=0) + 1e-6)
    return torch.where((rewards == rewards[:, :1]).all(1, True), 0.0, centered)


wrong(
    "over_prompts",
    why="You took the mean over prompts: a group, a row, holds the answers to one prompt.",
    change={
        "rewards.mean(dim=1, keepdim=True)": "rewards.mean(dim=0, keepdim=True)",
        "centered.square().mean(dim=1, keepdim=True)": (
            "centered.square().mean(dim=0, keepdim=True)"
        ),
    },
)


@wrong(
    why=(
        "You scaled by the range from the lowest to the highest reward; use mean and standard "
        "deviation."
    )
)
def from_lowest_to_highest(rewards, *, scale=True):
    low, high = rewards.amin(dim=1, keepdim=True), rewards.amax(dim=1, keepdim=True)
    gain = rewards - (low + high) / 2
    return gain / torch.where(high > low, high - low, 1.0) if scale else gain


wrong(
    "equal_rewards_keep_their_rounding",
    why=(
        "The mean of equal numbers may be off by rounding. Return exactly 0: otherwise a group "
        "that teaches nothing still moves the weights."
    ),
    change={"torch.where(same, 0.0, centered)": "centered / torch.where(same, 1e-17, 1.0)"},
    corner=True,
)


wrong(
    "mean_square_less_squared_mean",
    why=(
        "You computed the variance as the mean square minus the squared mean. Far from 0 both are "
        "large, and rounding destroys their difference: subtract the mean first, then square."
    ),
    change={
        "centered.square().mean(dim=1, keepdim=True)": (
            "(rewards.square().mean(1, True) - rewards.mean(1, True).square()).clamp_min(0)"
        )
    },
    corner=True,
)


equivalent(
    "centered = centered / torch.where(same, 2.0, spread)",
    why="What is divided by it is replaced by 0 in the end.",
)
