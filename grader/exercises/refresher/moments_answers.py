"""Right and wrong answers to `refresher.moments`."""

import torch

from grader.author.answers import right, wrong


@right
def matrix_products(values, probabilities):
    mean = probabilities @ values
    apart = values - mean[..., None]
    return mean, torch.einsum("...n,...n->...", probabilities, apart**2)


@right
def square_after_centering(values, probabilities):
    middle = values.mean()
    apart = values - middle
    first = (probabilities * apart).sum(-1)
    spread = apart - first.unsqueeze(-1)
    return first + middle, (spread * probabilities * spread).sum(-1)


wrong(
    "plain_average",
    why=(
        "The values were averaged as if all of them were equally probable; each counts with its "
        "probability."
    ),
    change={
        "(probabilities * values).sum(dim=-1, keepdim=True)": (
            "values.mean().expand(*probabilities.shape[:-1], 1)"
        )
    },
)


wrong(
    "standard_deviation",
    why="The root of the variance is the standard deviation; the variance itself is asked for.",
    change={"mean.squeeze(-1), variance": "mean.squeeze(-1), variance.sqrt()"},
)


wrong(
    "second_moment",
    why="E[x²] was computed: the mean has to be subtracted before squaring.",
    change={"(values - mean).square()": "values.square()"},
)


wrong(
    "absolute_deviation",
    why="The mean distance from the mean was computed; the variance is the mean squared distance.",
    change={"(values - mean).square()": "(values - mean).abs()"},
)


wrong(
    "deviations_not_weighted",
    why=(
        "The squared distances were averaged as if all values were equally probable; they are "
        "weighted like the values."
    ),
    change={
        "(probabilities * (values - mean).square()).sum(dim=-1)": (
            "(values - mean).square().mean(dim=-1)"
        )
    },
)


wrong(
    "n_minus_one",
    why=(
        "n / (n − 1) corrects for a mean that was estimated from a sample; here the probabilities "
        "are known, and nothing was estimated."
    ),
    change={
        "mean.squeeze(-1), variance": (
            "mean.squeeze(-1), variance * len(values) / (len(values) - 1)"
        )
    },
)


wrong(
    "mean_squared_again",
    why=(
        "(E[x])² was returned in place of the mean; the square belongs to the shortcut "
        "E[x²] − (E[x])² of the variance alone."
    ),
    change={"return mean.squeeze(-1)": "return mean.squeeze(-1).square()"},
)


@wrong(
    why=(
        "E[x²] − (E[x])² is right on paper, but subtracts two nearly equal numbers when the mean "
        "is far from 0: subtract the mean before you square."
    ),
    corner=True,
)
def shortcut(values, probabilities):
    mean = (probabilities * values).sum(-1)
    return mean, (probabilities * values**2).sum(-1) - mean**2
