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
        "This is min(1, q / p): tokens that the draft model proposes too often would always be "
        "accepted, and those it proposes too seldom would be rejected."
    ),
    change={
        "torch.where(draft > target, target / draft, 1.0)": (
            "torch.where(target > draft, draft / target, 1.0)"
        )
    },
)


wrong(
    "more_than_certain",
    why=(
        "p / q exceeds 1 if the target model gives a token more probability; a probability is at "
        "most 1."
    ),
    change={
        "torch.where(draft > target, target / draft, 1.0)": (
            "torch.where(draft > 0, target / draft, 1.0)"
        )
    },
)


wrong(
    "divided_by_zero",
    why="If neither model ever gives a token, 0 / 0 = NaN; the docstring says 1.",
    change={"torch.where(draft > target, target / draft, 1.0)": ("(target / draft).clamp(max=1)")},
    corner=True,
)


wrong(
    "never_said_is_refused",
    why="You return 0 for tokens that the draft model never proposes; the docstring says 1.",
    change={
        "torch.where(draft > target, target / draft, 1.0)": (
            "torch.where(draft > 0, (target / draft).clamp(max=1), 0.0)"
        )
    },
)


wrong(
    "smaller_of_the_two",
    why=(
        "This is min(p, q), the probability that a token is proposed *and* accepted. Once "
        "proposed, it is accepted with min(p, q) / q."
    ),
    change={"torch.where(draft > target, target / draft, 1.0)": "torch.minimum(target, draft)"},
)


wrong(
    "only_if_better",
    why=(
        "You accept a token only if the target model gives it at least the draft's probability. "
        "Otherwise, it has to be accepted sometimes, or the distribution changes."
    ),
    change={"target / draft, 1.0": "0.0, 1.0"},
)


wrong(
    "target_alone",
    why="You accept tokens with the target's own probability: the result is p · q, not p.",
    change={"torch.where(draft > target, target / draft, 1.0)": "target.clone()"},
)


wrong(
    "nothing_over_nothing_is_refused",
    why="If neither model ever gives a token, 0 / 0 is 0 in yours; the docstring says 1.",
    change={
        "torch.where(draft > target, target / draft, 1.0)": (
            "torch.nan_to_num(target / draft, nan=0.0).clamp(max=1)"
        )
    },
    corner=True,
)
