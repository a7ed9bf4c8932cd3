"""Right and wrong answers to `convolution.shift`."""

import torch

from grader.author.answers import right, wrong


@right
def ask_where_each_pixel_comes_from(input, *, down=0, right=0):
    height, width = input.shape[-2:]
    row = torch.arange(height, device=input.device)[:, None] - down
    column = torch.arange(width, device=input.device) - right
    there = (row >= 0) & (row < height) & (column >= 0) & (column < width)
    taken = input[..., row.clamp(0, height - 1), column.clamp(0, width - 1)]
    return torch.where(there, taken, torch.zeros_like(taken))


@right
def slices_into_zeros(input, *, down=0, right=0):
    height, width = input.shape[-2:]
    moved = torch.zeros_like(input)
    if abs(down) < height and abs(right) < width:
        rows = slice(max(down, 0), height + min(down, 0))
        columns = slice(max(right, 0), width + min(right, 0))
        from_rows = slice(max(-down, 0), height - max(down, 0))
        from_columns = slice(max(-right, 0), width - max(right, 0))
        moved[..., rows, columns] = input[..., from_rows, from_columns]
    return moved


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


@wrong(
    why=(
        "With a shift of 0 a slice that ends at −0 ends at 0 and is empty: the picture that should "
        "stay where it is has vanished."
    )
)
def slices_that_end_at_zero(input, *, down=0, right=0):
    moved = torch.zeros_like(input)
    rows = (
        (slice(down, None), slice(None, -down))
        if down > 0
        else (slice(None, down), slice(-down, None))
    )
    columns = (
        (slice(right, None), slice(None, -right))
        if right > 0
        else (slice(None, right), slice(-right, None))
    )
    moved[..., rows[0], columns[0]] = input[..., rows[1], columns[1]]
    return moved


wrong(
    "fails_far_out",
    why="A picture that is moved by more than its own size has left; what remains is all zeros.",
    change={
        "down = max(-height, min(down, height))": "down = down",
        "right = max(-width, min(right, width))": "right = right",
    },
    corner=True,
)


@wrong(
    why=(
        "You multiplied what came back by 0, and 0 · ∞ is NaN: fill with zeros in place of "
        "multiplying."
    ),
    corner=True,
)
def rolled_and_multiplied(input, *, down=0, right=0):
    height, width = input.shape[-2:]
    below, beside = max(0, height + min(down, 0)), max(0, width + min(right, 0))
    kept = torch.zeros_like(input)
    kept[..., max(down, 0) : below, max(right, 0) : beside] = 1
    return torch.roll(input, (down, right), (-2, -1)) * kept


wrong(
    "numbers_put_in_for_infinity",
    why="`nan_to_num` changes pixels that stay in the picture: they are moved, and not changed.",
    change={"return F.pad(input,": "return F.pad(torch.nan_to_num(input),"},
    corner=True,
)
