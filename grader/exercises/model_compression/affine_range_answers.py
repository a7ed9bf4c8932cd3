"""Right and wrong answers to `model_compression.affine_range`."""

import torch

from grader.author.answers import right, wrong


@right
def with_a_zero_among_them(x, bits):
    low, high = torch.aminmax(torch.cat([x.flatten(), x.new_zeros(1)]))
    steps = 2**bits - 1
    if low == high:
        return torch.ones_like(low), torch.zeros((), dtype=torch.int64, device=x.device)
    scale = (high - low) / steps
    return scale, torch.round(-low / scale).to(torch.int64)


@right
def from_the_upper_end(x, bits):
    low = torch.minimum(x.min(), torch.zeros_like(x.min()))
    high = torch.maximum(x.max(), torch.zeros_like(x.max()))
    width = high - low
    scale = width / (2**bits - 1) + (width == 0)
    return scale, (low.neg() / scale).round().to(torch.long)


wrong(
    "zero_outside",
    why=(
        "The range does not contain 0, so the number 0 has no code, and the zero point is out "
        "of range."
    ),
    change={".clamp(max=0)": "", ".clamp(min=0)": ""},
)


wrong(
    "as_many_steps_as_codes",
    why="2^b codes have 2^b − 1 steps between them.",
    change={"(2**bits - 1)": "2**bits"},
)


wrong(
    "symmetric_range",
    why="You divided by L of symmetric codes; codes here run from 0 to 2^b − 1.",
    change={"(2**bits - 1)": "(2 ** (bits - 1) - 1)"},
)


wrong(
    "zero_point_not_rounded",
    why="The zero point was truncated, not rounded, so the range shifts by up to a whole step.",
    change={".round().long()": ".long()"},
)


wrong(
    "sign_of_the_zero_point",
    why="The zero point is −low / scale: the lowest number has code 0, and 0 a code above that.",
    change={"(-low / scale)": "(low / scale)"},
)


wrong(
    "zero_point_as_a_number",
    why="You returned −low, a number. The zero point is a code: divide by the scale.",
    change={"(-low / scale)": "(-low)"},
)


wrong(
    "zero_scale",
    why="With zeros alone the scale is 0, and dividing by it gives NaN; use 1 there.",
    change={
        "torch.where(high > low, (high - low) / (2**bits - 1), 1.0)": "(high - low) / (2**bits - 1)"
    },
    corner=True,
)
