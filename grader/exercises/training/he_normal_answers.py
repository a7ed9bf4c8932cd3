"""Right and wrong answers to `training.he_normal`."""

import torch

from grader.author.answers import right, wrong


@right
def numbers_per_output(draws):
    fan_in = draws.numel() // draws.shape[0]
    return draws * (2.0 / fan_in) ** 0.5


@right
def divided_by_a_root(draws):
    return draws / torch.tensor(draws.flatten(1).shape[1] / 2, dtype=draws.dtype).sqrt()


wrong(
    "variance_for_deviation",
    why=(
        "The draws were multiplied by the variance 2 / fan_in; scaling by c "
        "multiplies the variance by c², so the factor is its root."
    ),
    change={"math.sqrt(2 / draws[0].numel())": "(2 / draws[0].numel())"},
)


wrong(
    "fan_out",
    why=(
        "The number of outputs was taken; the variance of an output adds up "
        "over the inputs of its sum, and these are fan_in."
    ),
    change={"draws[0].numel()": "draws[:, 0].numel()"},
)


wrong(
    "no_two",
    why=(
        "1 / fan_in keeps the variance through a linear layer, but a ReLU then "
        "sets half of the outputs to zero: the mean square halves in every "
        "layer unless the 2 is there."
    ),
    change={"2 / draws": "1 / draws"},
)


wrong(
    "kernel_not_counted",
    why=(
        "In a convolution one output sums over inputs and kernel positions; "
        "fan_in is their product."
    ),
    change={"draws[0].numel()": "draws.shape[1]"},
)


wrong(
    "both_fans",
    why="This is Glorot's variance, 2 / (fan_in + fan_out); He's has fan_in alone.",
    change={"2 / draws[0].numel()": "2 / (draws[0].numel() + draws[:, 0].numel())"},
)


wrong(
    "limit_of_a_uniform",
    why=(
        "√(6 / fan_in) is the limit of a uniform distribution of this variance; normal draws are "
        "multiplied by the standard deviation, √(2 / fan_in)."
    ),
    change={"2 / draws": "6 / draws"},
)


wrong(
    "root_of_two_alone",
    why="Only fan_in is under the root; return √2 / √fan_in, not 2 / √fan_in.",
    change={"math.sqrt(2 / draws[0].numel())": "2 / math.sqrt(draws[0].numel())"},
)
