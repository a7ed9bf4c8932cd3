"""Right and wrong answers to `refresher.polynomial_derivative`."""

import torch

from grader.author.answers import right, wrong


@right
def slice_first(coefficients):
    rest = coefficients[1:]
    return rest * torch.arange(1, len(rest) + 1)


@right
def written_in_place(coefficients):
    slopes = torch.zeros(len(coefficients) - 1, dtype=coefficients.dtype)
    for power in range(1, len(coefficients)):
        slopes[power - 1] = power * coefficients[power]
    return slopes


wrong(
    "constant_kept",
    why=(
        "The term of the constant is still there, as a 0 in front: every other coefficient then "
        "stands one power too high."
    ),
    change={"[1:]": ""},
)


wrong(
    "powers_from_zero",
    why=(
        "The power was counted after the constant was dropped, so c_1 is multiplied by 0 instead "
        "of 1, c_2 by 1 instead of 2, and so on."
    ),
    change={
        "powers = torch.arange(len(coefficients), device=coefficients.device)": (
            "powers = torch.arange(len(coefficients)) - 1"
        )
    },
)


wrong(
    "power_forgotten",
    why="The powers were lowered by one, but the old power was not multiplied in front.",
    change={"(powers * coefficients)": "coefficients"},
)


wrong(
    "antiderivative",
    why="Dividing by the new power integrates; the derivative multiplies by the old power.",
    change={"return (powers * coefficients)[1:]": "return coefficients / (powers + 1)"},
)


wrong(
    "last_term_dropped",
    why=(
        "The last term was dropped instead of the first: the constant, of which nothing is left, "
        "comes first."
    ),
    change={"[1:]": "[:-1]"},
)


wrong(
    "next_power_multiplied",
    why="Each term was multiplied by its power plus one: the derivative of x² is 2x, not 3x.",
    change={"(powers * coefficients)": "((powers + 1) * coefficients)"},
)


@wrong(
    why=(
        "Zeros at the end were taken off: the derivative has one term less than the polynomial, "
        "whatever its coefficients are, or two derivatives of a batch would differ in length."
    ),
    corner=True,
)
def zeros_stripped(coefficients):
    powers = torch.arange(len(coefficients), dtype=coefficients.dtype)
    terms = (powers * coefficients)[1:]
    while len(terms) and terms[-1] == 0:
        terms = terms[:-1]
    return terms
