"""Right and wrong answers to `gpt.compute_optimal`."""

import math

import torch

from grader.author.answers import right, wrong


@right
def in_logarithms(flops, *, a, alpha, b, beta):
    product = torch.log(flops / 6)
    lean = math.log(alpha * a) - math.log(beta * b)
    n = (lean + beta * product) / (alpha + beta)
    return n.exp(), (product - n).exp()


@right
def text_first(flops, *, a, alpha, b, beta):
    total = alpha + beta
    d = (beta * b / (alpha * a)) ** (1 / total) * (flops / 6) ** (alpha / total)
    return flops / (6 * d), d


wrong(
    "six_forgotten",
    why="You used N D = C; a token costs six operations per parameter, so N D = C / 6.",
    change={"flops / 6": "flops"},
)


wrong(
    "two_for_six",
    why=(
        "2 N D is the cost of the forward pass; the backward pass costs twice as much: 6 N D "
        "together."
    ),
    change={"flops / 6": "flops / 2"},
)


wrong(
    "exponents_swapped",
    why=(
        "You swapped the exponents: N grows with the power β / (α + β); the larger α, the sooner "
        "more parameters stop helping, so N grows slowly."
    ),
    change={"beta / (alpha + beta)": "alpha / (alpha + beta)"},
)


wrong(
    "prices_upside_down",
    why=(
        "Your G is inverted: the larger a, the more too few parameters cost, so N must grow with a."
    ),
    change={"(alpha * a / (beta * b))": "(beta * b / (alpha * a))"},
)


wrong(
    "exponents_left_out_of_g",
    why="G compares derivatives, and the derivative of a N⁻ᵅ has a factor α: α a / (β b).",
    change={"(alpha * a / (beta * b))": "(a / b)"},
)


wrong(
    "text_for_parameters",
    why="You returned N and D in the other order.",
    change={"return parameters, product / parameters": "return product / parameters, parameters"},
)


wrong(
    "half_and_half",
    why=(
        "Your N and D grow alike, as the root of C, whatever the exponents: that is right only for "
        "α = β."
    ),
    change={"beta / (alpha + beta)": "0.5"},
)


wrong(
    "operations_for_text",
    why="Your D is C / N, without the 6.",
    change={"product / parameters": "flops / parameters"},
)
