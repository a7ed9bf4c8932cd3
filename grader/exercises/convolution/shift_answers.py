"""Right and wrong answers to `convolution.shift`."""

import torch

from grader.author.answers import right, wrong


@right
def with_where(input, *, down=0, right=0):
    height, width = input.shape[-2:]
    row = torch.arange(height)[:, None] - down
    column = torch.arange(width) - right
    there = (row >= 0) & (row < height) & (column >= 0) & (column < width)
    taken = input[..., row.clamp(0, height - 1), column.clamp(0, width - 1)]
    return torch.where(there, taken, torch.zeros_like(taken))


@right
def with_eye(input, *, down=0, right=0):
    height, width = input.shape[-2:]
    rows = torch.eye(height + abs(down)).to(input)
    columns = torch.eye(width + abs(right)).to(input)
    rows = rows.roll(down, 0)[:height, :height].triu(-height)
    columns = columns.roll(right, 0)[:width, :width]
    if down < 0:
        rows = torch.eye(height + abs(down)).to(input)[-down:, :height]
    if right < 0:
        columns = torch.eye(width + abs(right)).to(input)[-right:, :width]
    return rows @ input @ columns.T


@wrong(
    why=(
        "`torch.roll` lets what leaves on one side come back on the other; the "
        "pixels that come in must be zero."
    )
)
def rolled(input, *, down=0, right=0):
    return torch.roll(input, (down, right), (-2, -1))


wrong(
    "axes_swapped",
    why=(
        "`F.pad` begins with the last axis, the columns; so `right` comes first and `down` second."
    ),
    change={"(right, -right, down, -down)": "(down, -down, right, -right)"},
)


wrong(
    "other_way",
    why=(
        "The picture moves against the arrow: to move it to the right, columns "
        "are added on its left."
    ),
    change={"(right, -right, down, -down)": "(-right, right, -down, down)"},
)


wrong(
    "not_cut",
    why=("The picture grew: what is added on one side has to be cut off on the other."),
    change={"(right, -right, down, -down)": "(right, 0, down, 0)"},
)
