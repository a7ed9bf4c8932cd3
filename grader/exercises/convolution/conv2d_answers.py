"""Right and wrong answers to `convolution.conv2d`."""

import torch
import torch.nn.functional as F

from grader.author.answers import right, wrong
from solutions.convolution import output_size, unfold


@right
def one_weight_after_another(
    input, weight, bias=None, *, stride=1, padding=0, dilation=1, groups=1
):
    if input.shape[1] != weight.shape[1] * groups or len(weight) % groups:
        raise ValueError("channels, filters and groups do not fit")
    batch, channels, height, width = input.shape
    filters, depth, tall, wide = weight.shape
    rows = output_size(height, tall, stride=stride, padding=padding, dilation=dilation)
    columns = output_size(width, wide, stride=stride, padding=padding, dilation=dilation)
    padded = F.pad(input, [padding] * 4).reshape(
        batch, groups, depth, height + 2 * padding, width + 2 * padding
    )
    kernels = weight.reshape(groups, filters // groups, depth, tall, wide)
    total = input.new_zeros(batch, filters, rows, columns)
    for u in range(tall):
        for v in range(wide):
            top, left = u * dilation, v * dilation
            seen = padded[
                ...,
                top : top + stride * (rows - 1) + 1 : stride,
                left : left + stride * (columns - 1) + 1 : stride,
            ]
            part = torch.einsum("bgcij,gfc->bgfij", seen, kernels[..., u, v])
            total = total + part.flatten(1, 2)
    if bias is not None:
        total = total + bias.reshape(1, -1, 1, 1)
    return total


@right
def group_after_group(input, weight, bias=None, *, stride=1, padding=0, dilation=1, groups=1):
    if input.shape[1] != weight.shape[1] * groups or len(weight) % groups:
        raise ValueError("channels, filters and groups do not fit")
    tall, wide = weight.shape[2:]
    x = F.pad(input, [padding] * 4).unfold(2, dilation * (tall - 1) + 1, stride)
    x = x.unfold(3, dilation * (wide - 1) + 1, stride)[..., ::dilation, ::dilation]
    parts = [
        torch.einsum("bcijuv,fcuv->bfij", part, kernels)
        for part, kernels in zip(x.chunk(groups, 1), weight.chunk(groups, 0), strict=True)
    ]
    y = torch.cat(parts, dim=1)
    if bias is not None:
        y = (y.movedim(1, -1) + bias).movedim(-1, 1)
    return y


wrong(
    "flipped",
    why=(
        "You flipped the kernels, as signal processing does; networks leave "
        "them as they are, and learned weights would no longer fit."
    ),
    change={"= weight.reshape(": "= weight.flip(2, 3).reshape("},
)


wrong(
    "bias_along_the_columns",
    why=(
        "The bias was broadcast along the last axis, the columns of the "
        "picture; it has one number per filter: `bias[:, None, None]`."
    ),
    change={"bias[:, None, None]": "bias"},
)


wrong(
    "bias_forgotten",
    why="The bias is never added.",
    change={"output if bias is None else output + bias[:, None, None]": "output"},
)


wrong(
    "kernel_transposed_by_reshape",
    why=(
        "`reshape` cannot transpose: it reads the same numbers in the same "
        "order, so each row of your kernel matrix mixes several filters."
    ),
    change={
        "weight.reshape(groups, filters // groups, -1)": (
            "weight.reshape(groups, -1, filters // groups).mT"
        )
    },
)


wrong(
    "rows_and_columns_swapped",
    why=(
        "The places were laid out as (columns, rows): a picture that is not "
        "square comes out scrambled."
    ),
    change={"unflatten(2, (rows, -1))": "unflatten(2, (-1, rows))"},
)


@wrong(
    why=(
        "The first group takes the first channels, not every second or third "
        "one; patches are laid out channel after channel, so the axis of the "
        "groups comes before the rest."
    )
)
def groups_interleaved(input, weight, bias=None, *, stride=1, padding=0, dilation=1, groups=1):
    batch, channels = input.shape[:2]
    filters, depth, height, width = weight.shape
    steps = {"stride": stride, "padding": padding, "dilation": dilation}
    patches = unfold(input, (height, width), **steps)
    patches = patches.reshape(batch, depth, groups, height * width, -1)
    patches = patches.transpose(1, 2).flatten(2, 3)
    kernels = weight.reshape(groups, filters // groups, -1)
    output = kernels @ patches
    rows = output_size(input.shape[2], height, **steps)
    output = output.reshape(batch, filters, rows, -1)
    return output if bias is None else output + bias[:, None, None]


wrong(
    "stride_and_dilation_swapped",
    why="Stride and dilation changed places on the way to `unfold`.",
    change={
        'steps = {"stride": stride, "padding": padding, "dilation": dilation}': (
            'steps = {"stride": dilation, "padding": padding, "dilation": stride}'
        )
    },
)


wrong(
    "padding_forgotten",
    why=("The padding is not handed on, so the result is smaller than it should be."),
    change={'"padding": padding, ': ""},
)


wrong(
    "rest_of_the_channels_ignored",
    why=(
        "`channels // groups` drops the rest: five channels in two groups passed for four. The "
        "docstring promises a ValueError where they do not divide."
    ),
    change={
        "if depth * groups != channels or filters % groups:": (
            "if channels // groups != depth or filters % groups:"
        ),
        "patches = unfold(input, (height, width), **steps)": (
            "patches = unfold(input[:, : depth * groups], (height, width), **steps)"
        ),
    },
    corner=True,
)
