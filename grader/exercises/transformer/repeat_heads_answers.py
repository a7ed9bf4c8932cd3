"""Right and wrong answers to `transformer.repeat_heads`."""

import torch

from grader.author.answers import equivalent, right, wrong


@right
def expanded_and_flattened(x, times):
    return x.unsqueeze(-3).expand(*x.shape[:-2], times, *x.shape[-2:]).flatten(-4, -3)


@right
def by_index(x, times):
    return x[..., torch.arange(x.shape[-3] * times) // times, :, :]


wrong(
    "whole_set_repeated",
    why=(
        "`repeat` puts the whole series of heads after itself: 0, 1, 2, 0, 1, 2. Neighbors share a "
        "head, 0, 0, 1, 1, 2, 2; otherwise queries meet the keys of another group."
    ),
    change={"x.repeat_interleave(times, dim=-3)": "torch.cat([x] * times, dim=-3)"},
)


wrong(
    "positions_repeated",
    why="You repeated the positions, not the heads; the head axis is the third from the end.",
    change={"dim=-3": "dim=-2"},
)


wrong(
    "first_axis_repeated",
    why="You repeated the first axis, which is the batch axis if there is one.",
    change={"dim=-3": "dim=0"},
)


wrong(
    "detached_copies",
    why=(
        "The copies are detached from the graph, so a shared head never learns from the queries "
        "that share it. Its gradient is the sum over all of them."
    ),
    change={"x.repeat_interleave(times, dim=-3)": "x.detach().repeat_interleave(times, dim=-3)"},
)


equivalent(
    "return (x.repeat_interleave(times, dim=-3))",
    why="where nobody shares it copies what the solution hands on as it is",
)
