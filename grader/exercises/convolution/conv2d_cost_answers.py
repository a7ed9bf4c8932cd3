"""Right and wrong answers to `convolution.conv2d_cost`."""

import torch

from grader.author.answers import right, wrong
from solutions.convolution import conv2d


@right
def weights_of_one_output(
    in_channels, out_channels, kernel_size, *, size, stride=1, padding=0, groups=1
):
    per_output = kernel_size * kernel_size * in_channels // groups
    side = (size + 2 * padding - kernel_size) // stride + 1
    return out_channels * (per_output + 1), side * side * out_channels * per_output


@right
def shapes_of_real_tensors(
    in_channels, out_channels, kernel_size, *, size, stride=1, padding=0, groups=1
):
    weight = torch.zeros(out_channels, in_channels // groups, kernel_size, kernel_size)
    picture = torch.zeros(1, in_channels, size, size)
    steps = {"stride": stride, "padding": padding, "groups": groups}
    output = conv2d(picture, weight, **steps)
    parameters = weight.numel() + len(weight)
    return parameters, output[0, 0].numel() * weight.numel()


wrong(
    "bias_not_counted",
    why="Each filter has one more parameter: its bias.",
    change={"return weights + out_channels": "return weights"},
)


wrong(
    "bias_at_every_place",
    why=(
        "The bias is shared as the weights are: one number per filter, "
        "whatever the size of the picture."
    ),
    change={"return weights + out_channels": "return weights + out_channels * places"},
)


wrong(
    "one_axis",
    why="The kernel has places along both axes; you counted those of one.",
    change={"padding=padding) ** 2": "padding=padding)"},
)


wrong(
    "places_of_the_input",
    why=(
        "You counted a place for every pixel of the input; there is one for "
        "every pixel of the *output*, as `output_size` says."
    ),
    change={"output_size(size, kernel_size, stride=stride, padding=padding) ** 2": "size**2"},
)


wrong(
    "groups_ignored",
    why=("With groups a filter sees only its part of the channels: in_channels / groups."),
    change={"(in_channels // groups)": "in_channels"},
)


wrong(
    "operations_twice",
    why=(
        "Here a multiplication and the addition that follows count as one "
        "multiply-add; you counted two operations."
    ),
    change={"weights * places": "2 * weights * places"},
)


wrong(
    "bias_multiplied",
    why="The biases are only added; they cause no multiplication.",
    change={"weights * places": "(weights + out_channels) * places"},
)
