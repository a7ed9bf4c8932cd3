"""Right and wrong answers to `gpt.residual`."""

import torch

from grader.author.answers import right, wrong


@right
def by_what_both_say(target, draft):
    left = target - torch.minimum(target, draft)
    total = left.sum(-1, keepdim=True)
    found = left / torch.where(total == 0, torch.ones_like(total), total)
    return found + target * (total == 0)


@right
def row_by_row(target, draft):
    rows = []
    for p, q in zip(
        target.reshape(-1, target.shape[-1]), draft.reshape(-1, draft.shape[-1]), strict=True
    ):
        left = torch.relu(p - q)
        rows.append(left / left.sum() if left.sum() > 0 else p)
    return torch.stack(rows).reshape(target.shape)


wrong(
    "not_clipped",
    why=(
        "p − q is negative where the draft model says a token too often; no token has a negative "
        "probability: there 0 is left."
    ),
    change={".clamp(min=0)": ""},
)


wrong(
    "not_shared_out",
    why=(
        "The differences do not sum to 1: divide by their sum. A draw from them would leave a gap, "
        "and put all of it on one token."
    ),
    change={"torch.where(total > 0, left / total, target)": "torch.where(total > 0, left, target)"},
)


wrong(
    "draft_minus_target",
    why=(
        "This is what the draft model says too *often*; what it says too seldom has to be made up "
        "for."
    ),
    change={"(target - draft)": "(draft - target)"},
)


wrong(
    "absolute_difference",
    why="|p − q| counts both sides; only what the draft model says too seldom is left.",
    change={".clamp(min=0)": ".abs()"},
)


wrong(
    "target_itself",
    why=(
        "A refused token was replaced by a draw from p itself. Then what both models like is drawn "
        "twice as often as it should: once proposed, and once more here."
    ),
    change={"torch.where(total > 0, left / total, target)": "target.clone()"},
)


wrong(
    "nothing_left_is_nan",
    why="Where p and q are equal nothing is left, and 0 / 0 is NaN; return p there.",
    change={"torch.where(total > 0, left / total, target)": "left / total"},
    corner=True,
)


wrong(
    "one_sum_for_all",
    why="All rows were divided by one sum; each is a distribution of its own.",
    change={"left.sum(dim=-1, keepdim=True)": "left.sum()"},
)


wrong(
    "softmax_of_the_difference",
    why=("A softmax gives every token a share, those with nothing left too; divide by the sum."),
    change={"left / total": "left.softmax(dim=-1)"},
)


wrong(
    "bounded_sum",
    why=(
        "The sum is bounded from below by a small number, as in `F.normalize`: where p and q "
        "nearly agree, what is left no longer sums to 1."
    ),
    change={"left / total, target)": "left / total.clamp(min=1e-12), target)"},
    corner=True,
)
