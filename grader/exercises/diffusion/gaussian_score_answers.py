"""Right and wrong answers to `diffusion.gaussian_score`."""

import torch

from grader.author.answers import right, wrong


@right
def by_the_precision(points, mean, variance):
    return variance.reciprocal() * mean - variance.reciprocal() * points


@right
def as_a_matrix(points, mean, variance):
    precision = torch.diag(1 / variance.expand(len(mean)))
    return torch.einsum("jk,...k->...j", precision, mean - points)


wrong(
    "points_away",
    why="The sign is reversed: this vector points away from the mean, where the density falls.",
    change={"mean - points": "points - mean"},
)


wrong(
    "divided_by_the_deviation",
    why=(
        "You divided by the standard deviation; the exponent of the density is divided by the "
        "variance, and so is its derivative."
    ),
    change={"/ variance": "/ variance.sqrt()"},
)


wrong(
    "variance_left_out",
    why="The difference is not divided by the variance, as if a narrow density were no steeper.",
    change={" / variance": " + 0 * variance"},
)


wrong(
    "half_left_over",
    why="The ½ of the exponent is still there; the derivative of the square brings a 2.",
    change={"(mean - points)": "0.5 * (mean - points)"},
)


@wrong(
    why=(
        "This is the gradient of the density; the score is the gradient of its logarithm, which is "
        "the former divided by the density."
    )
)
def of_the_density(points, mean, variance):
    gap = mean - points
    variance = variance.expand(len(mean))
    density = (-0.5 * gap.square() / variance).exp() / (2 * torch.pi * variance).sqrt()
    return density.prod(dim=-1, keepdim=True) * gap / variance


@wrong(why="This is the log density itself, one number for each feature; return its gradient.")
def log_density(points, mean, variance):
    return -0.5 * ((points - mean).square() / variance + (2 * torch.pi * variance).log())
