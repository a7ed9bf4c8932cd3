"""Right and wrong answers to `training.glorot_uniform`."""

import math

from grader.author.answers import right, wrong


@right
def fans_from_the_shape(draws):
    kernel = 1
    for size in draws.shape[2:]:
        kernel *= size
    limit = (6 / ((draws.shape[0] + draws.shape[1]) * kernel)) ** 0.5
    return -limit + 2 * limit * draws


@right
def by_the_standard_deviation(draws):
    fans = draws[0].numel() + draws.transpose(0, 1)[0].numel()
    deviation = math.sqrt(2 / fans)
    return (draws - 0.5) * math.sqrt(12) * deviation


wrong(
    "limit_is_the_standard_deviation",
    why=(
        "√(2 / (fan_in + fan_out)) is the standard deviation; a uniform "
        "distribution on ±a has the standard deviation a / √3, so the limit is "
        "√3 times larger."
    ),
    change={"math.sqrt(6 / (": "math.sqrt(2 / ("},
)


wrong(
    "not_centered",
    why=(
        "The draws from [0, 1) were scaled but not centered: all weights are "
        "positive, and every output is pushed the same way."
    ),
    change={"(2 * draws - 1)": "draws"},
)


wrong(
    "half_the_range",
    why=(
        "u − ½ reaches from −½ to ½; to reach from −1 to 1 it has to be "
        "doubled before the limit is applied."
    ),
    change={"(2 * draws - 1)": "(draws - 0.5)"},
)


wrong(
    "fan_in_alone",
    why=(
        "Only fan_in was used; Glorot's compromise averages it with fan_out, "
        "so that gradients on their way back keep their size too."
    ),
    change={"math.sqrt(6 / (fan_in + fan_out))": "math.sqrt(6 / (2 * fan_in))"},
)


wrong(
    "shape_for_fan",
    why=(
        "`shape[0]` and `shape[1]` are the fans of a linear layer alone: in a "
        "convolution each channel is read through a whole kernel, so both are "
        "multiplied by its size."
    ),
    change={"draws[0].numel(), draws[:, 0].numel()": "draws.shape[1], draws.shape[0]"},
)


wrong(
    "kernel_counted_once",
    why=(
        "The kernel was counted in fan_in alone; one input also goes into every output through the "
        "whole kernel."
    ),
    change={"draws[:, 0].numel()": "draws.shape[0]"},
)


wrong(
    "variance_for_limit",
    why="The root is missing: 6 / (fan_in + fan_out) is the square of the limit.",
    change={"math.sqrt(6 / (fan_in + fan_out))": "(6 / (fan_in + fan_out))"},
)


wrong(
    "mean_of_the_fans",
    why="6 belongs over the sum of the two fans; over their mean the limit is √2 times too large.",
    change={"math.sqrt(6 / (fan": "math.sqrt(12 / (fan"},
)
