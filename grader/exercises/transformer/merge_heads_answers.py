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
        "The numbers are cut in memory order, so a position gets features of other positions. Swap "
        "the head axis and the position axis first."
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
        "You interleaved the heads: first features of all heads, then second ones. Each head's "
        "features stay together, head 0 first, as `split_heads` took them."
    ),
    change={"x.transpose(-3, -2).flatten(-2)": "x.movedim(-3, -1).flatten(-2)"},
)


wrong(
    "heads_added",
    why="You summed the heads. Concatenate them, so that W_O can weight each one separately.",
    change={"x.transpose(-3, -2).flatten(-2)": "x.sum(dim=-3)"},
)


wrong(
    "axes_from_the_front",
    why="`transpose(1, 2)` is right only for one batch axis; count axes from the end.",
    change={"x.transpose(-3, -2)": "x.transpose(min(1, x.dim() - 3), min(2, x.dim() - 2))"},
    corner=True,
)
