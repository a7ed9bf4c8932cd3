"""Right and wrong answers to `diffusion.time_features`."""

import math

import torch

from grader.author.answers import right, wrong


@right
def by_logarithms(times, width, *, fastest=1000.0):
    if width % 2 == 1 or width // 2 < 2:
        raise ValueError("a width that is even, and 4 or more")
    powers = torch.linspace(0, math.log(fastest), width // 2, dtype=torch.float64)
    angles = times[..., None] * powers.exp().to(times)
    return torch.cat((torch.sin(angles), torch.cos(angles)), -1)


@right
def rate_by_rate(times, width, *, fastest=1000.0):
    half = width // 2
    if 2 * half != width or half == 1:
        raise ValueError("width")
    rates = [fastest ** (i / (half - 1)) for i in range(half)]
    waves = [wave(rate * times) for wave in (torch.sin, torch.cos) for rate in rates]
    return torch.stack(waves, dim=-1)


wrong(
    "cosines_first",
    why="The cosines come first; the first half of the features are sines.",
    change={"[angles.sin(), angles.cos()]": "[angles.cos(), angles.sin()]"},
)


wrong(
    "in_turn",
    why=(
        "Sines and cosines take turns, as in the positions of a Transformer; here all sines come "
        "before all cosines."
    ),
    change={
        "torch.cat([angles.sin(), angles.cos()], dim=-1)": (
            "torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)"
        )
    },
)


wrong(
    "slower_and_slower",
    why=(
        "The rates fall from 1, as for positions, which are whole numbers. Times lie between 0 and "
        "1: waves that are slower than 1 hardly change there."
    ),
    change={"fastest**steps": "fastest**-steps"},
)


wrong(
    "equal_differences",
    why="The rates grow by equal differences; by equal factors, they cover all scales of time.",
    change={"fastest**steps": "(1 + (fastest - 1) * steps)"},
)


wrong(
    "last_rate_left_out",
    why="The exponents stop before 1, so that no rate is `fastest`; the last exponent is 1.",
    change={"fastest**steps": "fastest ** (steps * (1 - 2 / width))"},
)


wrong(
    "rate_of_a_period",
    why="The angle is 2π r t; the rates are in radians, so it is r t.",
    change={"angles = times.unsqueeze(-1)": "angles = 2 * torch.pi * times.unsqueeze(-1)"},
)


wrong(
    "fastest_ignored",
    why="The fastest rate is fixed at 1000; the argument says which one it is.",
    change={"fastest**steps": "1000.0**steps"},
)


wrong(
    "any_width",
    why="A width that is odd or below 4 is accepted; raise a ValueError.",
    change={"if width % 2 or width < 4:": "if width < 1:"},
    corner=True,
)
