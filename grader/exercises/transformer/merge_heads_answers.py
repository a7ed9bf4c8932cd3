"""Right and wrong answers to `transformer.merge_heads`."""

import torch

from grader.author.answers import right, wrong


@right
def heads_concatenated(x):
    return torch.cat(x.unbind(dim=-3), dim=-1)


@right
def moved_and_reshaped(x):
    heads, length, size = x.shape[-3:]
    return x.movedim(-3, -2).reshape(*x.shape[:-3], length, heads * size)


wrong(
    "not_swapped_back",
    why=(
        "The numbers are cut anew in the order in which they lie in memory, so that "
        "a position gets "
        "features of other positions. Move the heads after the positions first."
    ),
    change={
        "x.transpose(-3, -2).flatten(-2)": (
            "x.reshape(*x.shape[:-3], x.shape[-2], x.shape[-3] * x.shape[-1])"
        )
    },
)


wrong(
    "features_mixed",
    why=(
        "You put first features beside first features, then second ones. Each head's features "
        "stay together: head 0 first, as `split_heads` took them."
    ),
    change={"x.transpose(-3, -2).flatten(-2)": "x.movedim(-3, -1).flatten(-2)"},
)


wrong(
    "heads_added",
    why="You added the heads up. They are put side by side, so that W_O can weigh each by itself.",
    change={"x.transpose(-3, -2).flatten(-2)": "x.sum(dim=-3)"},
)


wrong(
    "axes_from_the_front",
    why="`transpose(1, 2)` is right for one batch axis only; count axes from the end.",
    change={"x.transpose(-3, -2)": "x.transpose(min(1, x.dim() - 3), min(2, x.dim() - 2))"},
    corner=True,
)
