"""Right and wrong answers to `mlp.gelu`."""

import math

import torch

from grader.author.answers import right, wrong


@right
def complementary_error_function(input):
    return input * torch.erfc(-input * math.sqrt(0.5)) / 2


@right
def normal_distribution_function(input):
    return input * torch.special.ndtr(input)


wrong(
    "root_of_two_forgotten",
    why=(
        "erf(a) belongs to a normal variable with variance ½; for the standard normal its argument "
        "is a/√2."
    ),
    change={"input / math.sqrt(2)": "input"},
)


@wrong(
    why=(
        "This is the approximation by tanh, which differs from a Φ(a) in the fourth digit; the "
        "docstring asks for the exact one."
    )
)
def approximated_by_tanh(input):
    inner = math.sqrt(2 / math.pi) * (input + 0.044715 * input**3)
    return 0.5 * input * (1 + torch.tanh(inner))


@wrong(
    why=(
        "a σ(1.702 a), with a sigmoid in place of Φ, is a rough approximation: it is off by up "
        "to 0.02."
    )
)
def approximated_by_a_sigmoid(input):
    return input * torch.sigmoid(1.702 * input)


@wrong(
    why=(
        "a σ(a), with the sigmoid in place of Φ, is the SiLU; the GELU has the normal distribution."
    )
)
def silu(input):
    return input * torch.sigmoid(input)


wrong(
    "share_alone",
    why="This is Φ(a), the share that is kept; it multiplies the number itself.",
    change={"input * 0.5": "0.5"},
)


wrong(
    "density_for_distribution",
    why=(
        "The number was multiplied by the density at a, which falls again above zero; Φ is the "
        "probability of everything below a."
    ),
    change={
        "input * 0.5 * (1 + torch.erf(input / math.sqrt(2)))": (
            "input * torch.exp(-input.square() / 2) / math.sqrt(2 * math.pi)"
        )
    },
)


wrong(
    "half_forgotten",
    why="1 + erf runs from 0 to 2, but a probability runs from 0 to 1: halve it.",
    change={"input * 0.5": "input"},
)
