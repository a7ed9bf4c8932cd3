"""Right and wrong answers to `gpt.acceptance`."""

import torch

from grader.author.answers import right, wrong


@right
def clamped(target, draft):
    ratio = torch.ones_like(target)
    said = draft > 0
    ratio[said] = (target[said] / draft[said]).clamp(max=1)
    return ratio


@right
def by_what_both_say(target, draft):
    return torch.where(draft == 0, 1.0, torch.minimum(target, draft) / draft)


wrong(
    "the_wrong_way_round",
    why=(
        "This is min(1, q / p): what the draft model says too often would always stay, and what it "
        "says too seldom would be refused."
    ),
    change={
        "torch.where(draft > target, target / draft, 1.0)": (
            "torch.where(target > draft, draft / target, 1.0)"
        )
    },
)


wrong(
    "more_than_certain",
    why="p / q is above 1 where the target model likes a token better; a probability ends at 1.",
    change={
        "torch.where(draft > target, target / draft, 1.0)": (
            "torch.where(draft > 0, target / draft, 1.0)"
        )
    },
)


wrong(
    "divided_by_zero",
    why="What neither model ever says is 0 / 0 = NaN here; the statement says 1.",
    change={"torch.where(draft > target, target / draft, 1.0)": ("(target / draft).clamp(max=1)")},
    corner=True,
)


wrong(
    "never_said_is_refused",
    why="What the draft model never says has 0 here, and the statement says 1.",
    change={
        "torch.where(draft > target, target / draft, 1.0)": (
            "torch.where(draft > 0, (target / draft).clamp(max=1), 0.0)"
        )
    },
)


wrong(
    "smaller_of_the_two",
    why=(
        "This is min(p, q), how likely a token is proposed *and* stays. Given that it was "
        "proposed, it stays with min(p, q) / q."
    ),
    change={"torch.where(draft > target, target / draft, 1.0)": "torch.minimum(target, draft)"},
)


wrong(
    "only_if_better",
    why=(
        "A token stays here only where the target model likes it as much as the draft model does. "
        "It has to stay now and then in the other case, too, or the text is another one."
    ),
    change={"target / draft, 1.0": "0.0, 1.0"},
)


wrong(
    "target_alone",
    why="Tokens stay with the target's own probability: that is p · q in the end, and not p.",
    change={"torch.where(draft > target, target / draft, 1.0)": "target.clone()"},
)


wrong(
    "nothing_over_nothing_is_refused",
    why="What neither model ever says is 0 / 0; it gets 0 here, and the statement says 1.",
    change={
        "torch.where(draft > target, target / draft, 1.0)": (
            "torch.nan_to_num(target / draft, nan=0.0).clamp(max=1)"
        )
    },
    corner=True,
)
