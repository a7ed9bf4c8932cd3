"""Right and wrong answers to `refresher.normal_log_density`."""

import math

import torch

from grader.author.answers import right, wrong


@right
def three_terms(x, *, mean, variance):
    squares = (x - mean) ** 2 / (2 * variance)
    return -squares - torch.log(variance) / 2 - math.log(2 * math.pi) / 2


@right
def by_standard_deviation(x, *, mean, variance):
    deviation = variance.sqrt()
    z = (x - mean) / deviation
    return -z * z / 2 - torch.log(deviation * math.sqrt(2 * math.pi))


wrong(
    "deviation_for_variance",
    why=(
        "The third argument was used as a standard deviation, and squared; it is the variance "
        "already."
    ),
    change={
        "/ variance": "/ variance.square()",
        "math.pi * variance": "math.pi * variance.square()",
    },
)


wrong(
    "constant_forgotten",
    why="ln(2π) is missing: without it the density does not integrate to 1.",
    change={"2 * math.pi * variance": "variance"},
)


wrong(
    "spread_forgotten",
    why=(
        "The variance is missing under the root of 2π: a narrow curve has to be higher, so that "
        "its area stays 1."
    ),
    change={"2 * math.pi * variance": "2 * math.pi + 0 * variance"},
)


wrong(
    "two_forgotten_in_the_exponent",
    why="The exponent is −(x − m)² / (2s); the 2 is missing.",
    change={"(x - mean).square()": "2 * (x - mean).square()"},
)


wrong(
    "sign_of_the_logarithm",
    why="The factor 1/√(2π s) is in the density, so its logarithm is subtracted, and not added.",
    change={"+ torch.log": "- torch.log"},
)


wrong(
    "half_of_the_logarithm_forgotten",
    why="The density is divided by √(2π s), and ln √a = ½ ln a: the logarithm is halved too.",
    change={"torch.log(2": "2 * torch.log(2"},
)


wrong(
    "not_divided_by_the_variance",
    why="The squared distance was not divided by the variance: far is what is far in units of it.",
    change={" / variance": ""},
)


@wrong(why="The density itself was returned; its logarithm is asked for.")
def density(x, *, mean, variance):
    return torch.exp(-((x - mean) ** 2) / (2 * variance)) / torch.sqrt(2 * math.pi * variance)


@wrong(
    why=(
        "The density was computed first, and its logarithm last: far from the mean the density is "
        "rounded to 0, whose logarithm is −∞."
    ),
    corner=True,
)
def logarithm_last(x, *, mean, variance):
    density = torch.exp(-((x - mean) ** 2) / (2 * variance)) / torch.sqrt(2 * math.pi * variance)
    return density.log()


wrong(
    "a_small_number_in_the_variance",
    why=(
        "A small number was added to the variance, so that nothing is divided by 0: variances are "
        "above 0, and beside a smaller one the density is wrong altogether."
    ),
    change={
        "return -0.5 *": "variance = variance + 1e-12\n    return -0.5 *",
    },
    corner=True,
)
