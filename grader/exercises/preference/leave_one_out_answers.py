"""Right and wrong answers to `preference.leave_one_out`."""

import torch

from grader.author.answers import right, wrong


@right
def scaled_from_the_mean(rewards):
    count = rewards.shape[1]
    if count == 1:
        raise ValueError("one answer has no others")
    return (rewards - rewards.mean(dim=1, keepdim=True)) * count / (count - 1)


@right
def by_a_matrix(rewards):
    count = rewards.shape[-1]
    if count < 2:
        raise ValueError("at least two answers are needed")
    eye = torch.eye(count, dtype=rewards.dtype)
    return rewards @ (eye - (1 - eye) / (count - 1))


wrong(
    "with_itself",
    why=(
        "Your mean includes the answer itself: every advantage is too small, by the factor (G − 1) "
        "/ G."
    ),
    change={
        "(rewards.sum(dim=1, keepdim=True) - rewards) / (count - 1)": (
            "rewards.mean(dim=1, keepdim=True)"
        )
    },
)


wrong(
    "divided_by_all",
    why="You divided the sum of the others by G; there are G − 1 of them.",
    change={"/ (count - 1)": "/ count"},
)


wrong(
    "over_the_batch",
    why=(
        "You took the mean over all prompts: every answer to a hard prompt then looks bad, and "
        "every answer to an easy prompt good."
    ),
    change={
        "(rewards.sum(dim=1, keepdim=True) - rewards) / (count - 1)": (
            "(rewards.sum() - rewards) / (rewards.numel() - 1)"
        )
    },
)


wrong(
    "over_prompts",
    why="You took the mean over prompts; the others are the answers to the *same* prompt.",
    change={
        "(rewards.sum(dim=1, keepdim=True) - rewards) / (count - 1)": (
            "(rewards.sum(dim=0, keepdim=True) - rewards) / max(len(rewards) - 1, 1)"
        )
    },
)


wrong(
    "sign",
    why="You subtracted the answer's reward from the others' mean: this punishes better answers.",
    change={"return rewards - others": "return others - rewards"},
)


wrong(
    "baseline_alone",
    why="You returned the baseline; subtract it from the rewards.",
    change={"return rewards - others": "return others"},
)


wrong(
    "no_error",
    why=(
        "A single answer has no others to compare with: instead of 0 / 0 = NaN, raise a ValueError."
    ),
    change={"if count < 2": "if count < 1"},
    corner=True,
)
