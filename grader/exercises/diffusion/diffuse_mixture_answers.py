"""Right and wrong answers to `diffusion.diffuse_mixture`."""

import torch

from grader.author.answers import right, wrong


@right
def indexed(weights, means, variances, level):
    return weights.clone(), means * level[0], variances * level[0].square() + level[1].square()


@right
def one_product(weights, means, variances, level):
    columns = torch.stack([variances, torch.ones_like(variances)], dim=1)
    return weights, torch.mul(means, level[0]), columns @ (level * level)


wrong(
    "signal_not_squared",
    why="The variance is multiplied by a; a number times a has a² times its variance.",
    change={"signal**2 * variances": "signal * variances"},
)


wrong(
    "noise_not_squared",
    why="Noise s ε with normal ε has the variance s²; you added s.",
    change={"+ noise**2": "+ noise"},
)


wrong(
    "variances_not_scaled",
    why="The variances keep their size under the noise; they shrink with the signal.",
    change={"signal**2 * variances": "variances"},
)


wrong(
    "means_not_scaled",
    why="The means stay where they were; multiplied by the signal they move toward 0.",
    change={"signal * means": "means"},
)


wrong(
    "weights_scaled",
    why="The weights are multiplied by the signal. Noise moves no point to another component.",
    change={"return weights, ": "return signal * weights, "},
)


wrong(
    "deviations_added",
    why="Standard deviations are added here. Of independent numbers, the variances add up.",
    change={
        "signal**2 * variances + noise**2": "(signal * variances.sqrt() + noise) ** 2",
    },
)


wrong(
    "levels_swapped",
    why="Signal and noise are swapped; a level is (a, s), the signal first.",
    change={"signal, noise = level": "noise, signal = level"},
)
