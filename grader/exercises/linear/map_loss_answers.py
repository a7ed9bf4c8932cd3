"""Right and wrong answers to `linear.map_loss`."""

import math

import torch

from grader.author.answers import right, wrong


@right
def constants_by_counting(weight, bias, features, target, *, noise, prior):
    errors = features @ weight.T + bias
    if errors.shape != target.shape:
        raise ValueError("predictions and target differ in shape")
    errors = errors - target
    data = errors.pow(2).sum() / (2 * noise)
    weights = weight.pow(2).sum() / (2 * prior)
    constant = errors.numel() * math.log(2 * math.pi * noise)
    constant += weight.numel() * math.log(2 * math.pi * prior)
    return data + weights + 0.5 * constant


@right
def log_densities_of_all_numbers(weight, bias, features, target, *, noise, prior):
    def log_density(value, mean, variance):
        deviation = variance**0.5
        height = -math.log(deviation * (2 * math.pi) ** 0.5)
        return height - 0.5 * ((value - mean) / deviation) ** 2

    means = torch.einsum("bd,cd->bc", features, weight) + bias[None]
    if means.shape != target.shape:
        raise ValueError("not one prediction per target")
    of_targets = log_density(target, means, noise)
    of_weights = log_density(weight, torch.zeros_like(weight), prior)
    return -(torch.cat([of_targets.flatten(), of_weights.flatten()]).sum())


@right
def example_by_example(weight, bias, features, target, *, noise, prior):
    if target.shape != (len(features), len(weight)):
        raise ValueError("not one prediction per target")
    total = (weight * weight / prior + math.log(2 * math.pi * prior)).sum() / 2
    for x, y in zip(features, target, strict=True):
        error = weight @ x + bias - y
        total = total + error @ error / (2 * noise) + len(y) / 2 * math.log(2 * math.pi * noise)
    return total


wrong(
    "mean_over_examples",
    why=(
        "The data term was averaged: then a thousand examples weigh no more against the prior than "
        "one. Probabilities of independent examples multiply, so their surprises add up."
    ),
    change={"data.sum() + weights.sum()": "data.sum() / len(target) + weights.sum()"},
)


wrong(
    "no_half",
    why="The exponent of a Gaussian is −(v − m)² / (2s): the ½ belongs to both terms.",
    change={"(data.sum() + weights.sum()) / 2": "data.sum() + weights.sum()"},
)


wrong(
    "half_of_the_squares_alone",
    why="The logarithm has a factor ½ as well, which comes from the root in √(2πs).",
    change={
        "math.log(2 * math.pi * noise)": "2 * math.log(2 * math.pi * noise)",
        "math.log(2 * math.pi * prior)": "2 * math.log(2 * math.pi * prior)",
    },
)


wrong(
    "constants_left_out",
    why=(
        "Without ln(2πs) the number is not a surprise: assuming a smaller noise variance would "
        "only raise the loss, never lower it."
    ),
    change={" + math.log(2 * math.pi * noise)": "", " + math.log(2 * math.pi * prior)": ""},
)


wrong(
    "deviations_for_variances",
    why="`noise` and `prior` are variances; they were squared as if they were standard deviations.",
    change={
        "/ noise + math.log(2 * math.pi * noise)": "/ noise**2 + math.log(2 * math.pi * noise**2)",
        "/ prior + math.log(2 * math.pi * prior)": "/ prior**2 + math.log(2 * math.pi * prior**2)",
    },
)


wrong(
    "noise_and_prior_swapped",
    why=(
        "The errors are divided by the noise variance, the weights by the prior variance; here "
        "the two are swapped."
    ),
    change={
        "(prediction - target).square() / noise + math.log(2 * math.pi * noise)": (
            "(prediction - target).square() / prior + math.log(2 * math.pi * prior)"
        ),
        "weight.square() / prior + math.log(2 * math.pi * prior)": (
            "weight.square() / noise + math.log(2 * math.pi * noise)"
        ),
    },
)


wrong(
    "no_prior",
    why="The weights are missing: this is the likelihood alone, so its minimum has no penalty.",
    change={"data.sum() + weights.sum()": "data.sum()"},
)


wrong(
    "prior_on_the_bias",
    why="The bias has no prior: shifting all targets must not make a model less probable.",
    change={
        "weights = weight.square()": (
            "weight = torch.cat([weight, bias[:, None]], dim=1)\n    weights = weight.square()"
        )
    },
)


wrong(
    "one_constant_for_all_outputs",
    why=(
        "Each of an example's C targets contributes ½ ln(2πs); here only one was counted per "
        "example."
    ),
    change={
        "data = (prediction - target).square() / noise + math.log(2 * math.pi * noise)": (
            "data = (prediction - target).square().sum(dim=1) / noise "
            "+ math.log(2 * math.pi * noise)"
        )
    },
)


wrong(
    "likelihood_and_not_its_negative",
    why="This is ln p, which is largest at the best weights; a loss is its negative.",
    change={"(data.sum() + weights.sum()) / 2": "-(data.sum() + weights.sum()) / 2"},
)


@wrong(
    why=(
        "Predictions and targets differ in shape and were broadcast against each other, so every "
        "target was compared with every prediction; the docstring promises a ValueError."
    ),
    corner=True,
)
def shapes_not_checked(weight, bias, features, target, *, noise, prior):
    prediction = features @ weight.T + bias
    data = (prediction - target).square() / noise + math.log(2 * math.pi * noise)
    weights = weight.square() / prior + math.log(2 * math.pi * prior)
    return (data.sum() + weights.sum()) / 2


wrong(
    "axes_counted",
    why=(
        "The number of axes was compared, and (B, C) against (B, 1) passes: every prediction of an "
        "example then meets the same target. Compare the shapes."
    ),
    change={"prediction.shape != target.shape": "prediction.dim() != target.dim()"},
    corner=True,
)
