"""Right and wrong answers to `convolution.conv2d_input_gradient`."""

import torch

from grader.author.answers import right, wrong
from solutions.convolution import conv2d_matrix


@right
def each_weight_sends_back(grad_output, weight, size, *, stride=1, padding=0, dilation=1):
    batch, filters, rows, columns = grad_output.shape
    height, width = size
    channels, tall, wide = weight.shape[1:]
    back = grad_output.new_zeros(batch, channels, height + 2 * padding, width + 2 * padding)
    for u in range(tall):
        for v in range(wide):
            part = torch.einsum("bfij,fc->bcij", grad_output, weight[:, :, u, v])
            top, left = u * dilation, v * dilation
            back[
                :,
                :,
                top : top + stride * rows : stride,
                left : left + stride * columns : stride,
            ] += part
    return back[:, :, padding : padding + height, padding : padding + width]


@right
def transposed_matrix(grad_output, weight, size, *, stride=1, padding=0, dilation=1):
    steps = {"stride": stride, "padding": padding, "dilation": dilation}
    matrix = conv2d_matrix(weight, size, **steps)
    back = grad_output.flatten(1) @ matrix
    return back.reshape(len(grad_output), weight.shape[1], *size)


wrong(
    "not_flipped",
    why=(
        "The kernel is turned the wrong way round: what reached output i through weight u came "
        "from input i + u. So output i sends its gradient to i + u with the kernel as it is, and "
        "input n, which looks back at the outputs n − u, meets it flipped."
    ),
    change={"weight.flip(2, 3)": "weight"},
)


wrong(
    "filters_and_channels_not_swapped",
    why=(
        "The gradient has one picture per filter and must come back with one "
        "per channel, so these two axes of the weight change places."
    ),
    change={".transpose(0, 1)": ""},
)


wrong(
    "gradient_repeated",
    why=(
        "Between two gradients belong stride − 1 zeros; you repeated the "
        "gradient there, as if every pixel had been the start of a window."
    ),
    change={
        "spread[:, :, :, 0, :, 0] = grad_output": (
            "spread[:] = grad_output[:, :, :, None, :, None]"
        )
    },
)


wrong(
    "padding_not_removed",
    why=(
        "The gradient of the added zeros has to be cut off again: input 0 is "
        "`padding` pixels from the edge of what the kernel saw."
    ),
    change={
        "F.pad(full, (-padding, end, -padding, bottom))": (
            "F.pad(full, (0, end - padding, 0, bottom - padding))"
        )
    },
)


wrong(
    "rest_at_the_front",
    why=(
        "With a stride, the pixels that no kernel saw lie at the bottom and on "
        "the right; you put their zeros at the top and on the left."
    ),
    change={
        "F.pad(full, (-padding, end, -padding, bottom))": (
            "F.pad(full, (end, -padding, bottom, -padding))"
        )
    },
)


@wrong(
    why=(
        "Without padding there is nothing to cut off, but a slice that ends at "
        "`-padding` ends at −0, which is 0, and is empty; end it at padding + "
        "H."
    )
)
def cut_at_minus_zero(grad_output, weight, size, *, stride=1, padding=0, dilation=1):
    padded = [n + 2 * padding for n in size]
    matrix = conv2d_matrix(weight, padded, stride=stride, dilation=dilation)
    back = grad_output.flatten(1) @ matrix
    back = back.reshape(len(grad_output), weight.shape[1], *padded)
    return back[:, :, padding:-padding, padding:-padding]


@wrong(
    why=(
        "Windows overlap, and a pixel gets a gradient from every output that "
        "saw it: add them up; you kept the last one."
    )
)
def overwritten(grad_output, weight, size, *, stride=1, padding=0, dilation=1):
    batch, filters, rows, columns = grad_output.shape
    channels, tall, wide = weight.shape[1:]
    height, width = size
    back = grad_output.new_zeros(batch, channels, height + 2 * padding, width + 2 * padding)
    for i in range(rows):
        for j in range(columns):
            top, left = stride * i, stride * j
            back[
                :,
                :,
                top : top + dilation * (tall - 1) + 1 : dilation,
                left : left + dilation * (wide - 1) + 1 : dilation,
            ] = torch.einsum("bf,fcuv->bcuv", grad_output[:, :, i, j], weight)
    return back[:, :, padding : padding + height, padding : padding + width]


wrong(
    "dilation_forgotten",
    why=(
        "On the way back the weights are as far apart as on the way there: the "
        "flipped kernel needs the dilation, too."
    ),
    change={"flipped, dilation=dilation)": "flipped)"},
)
