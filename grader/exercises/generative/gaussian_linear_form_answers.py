"""Right and wrong answers to `generative.gaussian_linear_form`."""

import torch

from grader.author.answers import right, wrong


@right
def system_of_equations(log_prior, mean, variance):
    weight = torch.linalg.solve(torch.diag(variance[0]), mean.T).T
    bias = log_prior - torch.einsum("cd,cd->c", weight, mean) / 2
    return weight, bias


@right
def scaled_by_deviations(log_prior, mean, variance):
    scaled = mean / variance.sqrt()
    bias = log_prior - (scaled**2).sum(dim=1) / 2
    return scaled / variance.sqrt(), bias


wrong(
    "prior_forgotten",
    why=(
        "The bias lacks ln p(c), which is all that a rare class and a common "
        "one with the same mean differ in."
    ),
    change={"log_prior - 0.5": "0 * log_prior - 0.5"},
)


wrong(
    "half_forgotten",
    why="The cross term −½ · (−2 m x) loses its ½, the term in m² does not.",
    change={"0.5 * (mean * weight)": "(mean * weight)"},
)


wrong(
    "normalizer_kept",
    why=(
        "The bias kept −½ Σ ln(2π s), which is the same for every class: it "
        "drops out of the softmax, like the term with x², and out of the "
        "formula with it."
    ),
    change={
        "(mean * weight).sum(dim=-1)": (
            "(mean * weight + (2 * torch.pi * variance).log()).sum(dim=-1)"
        )
    },
)


wrong(
    "sign_of_the_bias",
    why=(
        "The term −½ m² / s comes off: a mean far from the origin makes a "
        "score large for all inputs in its direction, and the bias takes that "
        "back."
    ),
    change={"log_prior - 0.5": "log_prior + 0.5"},
)


wrong(
    "divided_by_the_deviation",
    why=(
        "The weight is m over the variance; one root divides the mean, another "
        "one the feature that it meets."
    ),
    change={"mean / variance": "mean / variance.sqrt()"},
)


wrong(
    "square_of_the_weight",
    why="The bias holds m² / s; W² is m² / s².",
    change={"(mean * weight)": "(weight * weight)"},
)


wrong(
    "weight_transposed",
    why=("One row of weights per class, (C, D), as in every linear model of this book."),
    change={"return weight,": "return weight.T,"},
)
