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
        "p − q is negative for tokens that the draft model proposes too often, but no probability "
        "is negative: clip at 0."
    ),
    change={".clamp(min=0)": ""},
)


wrong(
    "not_shared_out",
    why=(
        "The differences do not sum to 1: divide by their sum. Otherwise, sampling puts the "
        "missing probability on one token."
    ),
    change={"torch.where(total > 0, left / total, target)": "torch.where(total > 0, left, target)"},
)


wrong(
    "draft_minus_target",
    why=(
        "This is what the draft model proposes too *often*; the residual makes up for what it "
        "proposes too seldom."
    ),
    change={"(target - draft)": "(draft - target)"},
)


wrong(
    "absolute_difference",
    why="|p − q| counts both sides; only what the draft model proposes too seldom is left.",
    change={".clamp(min=0)": ".abs()"},
)


wrong(
    "target_itself",
    why=(
        "You replace a rejected token by a sample from p. Then tokens that both models give come "
        "too often: once proposed, and once more here."
    ),
    change={"torch.where(total > 0, left / total, target)": "target.clone()"},
)


wrong(
    "nothing_left_is_nan",
    why="If p and q are equal, nothing is left, and 0 / 0 is NaN; return p there.",
    change={"torch.where(total > 0, left / total, target)": "left / total"},
    corner=True,
)


wrong(
    "one_sum_for_all",
    why="You divided all rows by one sum; each row is a separate distribution.",
    change={"left.sum(dim=-1, keepdim=True)": "left.sum()"},
)


wrong(
    "softmax_of_the_difference",
    why="A softmax gives every token a share, even those with nothing left; divide by the sum.",
    change={"left / total": "left.softmax(dim=-1)"},
)


wrong(
    "bounded_sum",
    why=(
        "You bounded the sum from below by a small number, as `F.normalize` does: if p and q "
        "nearly agree, the result does not sum to 1."
    ),
    change={"left / total, target)": "left / total.clamp(min=1e-12), target)"},
    corner=True,
)
