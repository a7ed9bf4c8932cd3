"""Right and wrong answers to `model_compression.quantize`."""

import torch

from grader.author.answers import right, wrong


@right
def clamped_first(x, scale, bits):
    limit = 2 ** (bits - 1) - 1
    steps = torch.clamp(x / scale, min=-limit, max=limit)
    return torch.round(steps).to(dtype=torch.int8)


@right
def from_the_floor(x, scale, bits):
    limit = 2 ** (bits - 1) - 1
    steps = x / scale
    low = steps.floor()
    rest = steps - low
    up = (rest > 0.5) | ((rest == 0.5) & (low % 2 != 0))
    codes = (low + up).long()
    return codes.minimum(torch.tensor(limit)).maximum(torch.tensor(-limit)).char()


wrong(
    "cut_off",
    why="Converting to int8 cuts decimals off, toward 0; round first.",
    change={".round()": ".trunc()"},
)


wrong(
    "always_down",
    why="You rounded down, so every weight moves the same way, by half a step on average.",
    change={".round()": ".floor()"},
)


wrong(
    "not_clamped",
    why=(
        "Codes beyond the range were not clamped: they need more bits, or wrap around to "
        "another sign."
    ),
    change={".clamp(-limit, limit)": ""},
)


wrong(
    "one_more_below",
    why="The lowest code is −2^(b−1) + 1 here, so that the codes are symmetric around 0.",
    change={"clamp(-limit, limit)": "clamp(-limit - 1, limit)"},
)


wrong(
    "multiplied",
    why="You multiplied by the scale. It is the size of a step, so divide.",
    change={"(x / scale).round()": "(x * scale).round()"},
)


wrong(
    "halves_up",
    why="Halves go to the even integer, as in `torch.round`; rounding all of them up adds a bias.",
    change={"(x / scale).round()": "(x / scale + 0.5).floor()"},
    corner=True,
)


wrong(
    "still_floats",
    why="The codes are rounded, but stored as floats, so nothing is saved; return int8.",
    change={".to(torch.int8)": ""},
)
