"""Right and wrong answers to `transformer.sinusoidal`."""

import math

import torch

from grader.author.answers import right, wrong


@right
def column_by_column(length, features, *, base=10_000.0):
    table = torch.empty(length, features)
    places = torch.arange(length, dtype=torch.float64)
    for column in range(features):
        angles = places / base ** (2 * (column // 2) / features)
        table[:, column] = (angles.cos() if column % 2 else angles.sin()).to(table.dtype)
    return table


@right
def with_exponentials(length, features, *, base=10_000.0):
    table = torch.zeros(length, features)
    even = torch.arange(0, features, 2).to(table.dtype)
    rates = torch.exp(even * (-math.log(base) / features))
    angles = torch.outer(torch.arange(length).to(table.dtype), rates)
    table[:, 0::2] = torch.sin(angles)
    table[:, 1::2] = torch.cos(angles)[:, : features // 2]
    return table


wrong(
    "halves_not_interleaved",
    why=(
        "You put all sines first, then all cosines. Here they alternate: columns 2i and 2i + 1 "
        "have the same rate. A model can learn from either order, but other code expects this one."
    ),
    change={"dim=-1).flatten(1)": "dim=1).flatten(1)"},
)


wrong(
    "one_rate_per_column",
    why=(
        "You gave each column its own rate. Sine and cosine of one rate are a pair: only together "
        "do they make a step of k positions a rotation."
    ),
    change={
        "rates = base ** (-torch.arange(0, features, 2) / features)": (
            "columns = torch.arange(features + features % 2)\n"
            "    rates = base ** (-columns / features)"
        ),
        "angles = torch.arange(length)[:, None] * rates": (
            "angles = (torch.arange(length)[:, None] * rates).unflatten(1, (-1, 2))"
        ),
        "torch.stack([angles.sin(), angles.cos()], dim=-1)": (
            "torch.stack([angles[..., 0].sin(), angles[..., 1].cos()], dim=-1)"
        ),
    },
)


wrong(
    "exponent_halved",
    why="The exponent is 2i/D, not i/D: the wavelengths should grow from 2π to nearly 2π · base.",
    change={
        "-torch.arange(0, features, 2) / features": "-torch.arange(0, features, 2) / features / 2"
    },
)


wrong(
    "sine_and_cosine_swapped",
    why="Even columns are sines and odd columns cosines: position 0 is 0, 1, 0, 1, and so on.",
    change={"angles.sin(), angles.cos()": "angles.cos(), angles.sin()"},
)


wrong(
    "counted_from_one",
    why="The first position is 0; you started at 1.",
    change={"torch.arange(length)[:, None]": "torch.arange(1, length + 1)[:, None]"},
)


wrong(
    "base_written_in",
    why="You hard-coded 10,000; `base` may be another number.",
    change={"rates = base **": "rates = 10_000.0 **"},
)


wrong(
    "rates_that_grow",
    why=(
        "You multiplied by base^{2i/D} instead of dividing: the wavelengths shrink instead of "
        "growing."
    ),
    change={"-torch.arange(0,": "torch.arange(0,"},
)
