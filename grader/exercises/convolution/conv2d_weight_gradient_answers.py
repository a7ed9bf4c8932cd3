"""Right and wrong answers to `convolution.conv2d_weight_gradient`."""

import torch
import torch.nn.functional as F

from grader.author.answers import right, wrong
from solutions.convolution import conv2d, unfold


@right
def input_convolved_with_the_gradient(
    grad_output, input, kernel_size, *, stride=1, padding=0, dilation=1
):
    # the input, convolved with the gradient: stride and dilation change places
    x = F.pad(input, [padding] * 4).transpose(0, 1)
    grad = conv2d(x, grad_output.transpose(0, 1), stride=dilation, dilation=stride)
    tall, wide = kernel_size
    return grad.transpose(0, 1)[:, :, :tall, :wide]


@right
def one_weight_after_another(grad_output, input, kernel_size, *, stride=1, padding=0, dilation=1):
    tall, wide = kernel_size
    rows, columns = grad_output.shape[2:]
    x = F.pad(input, [padding] * 4)
    grad = input.new_zeros(grad_output.shape[1], input.shape[1], tall, wide)
    for u in range(tall):
        for v in range(wide):
            met = x[:, :, u * dilation :: stride, v * dilation :: stride]
            met = met[:, :, :rows, :columns]
            grad[:, :, u, v] = torch.einsum("bfij,bcij->fc", grad_output, met)
    return grad


wrong(
    "mean_over_the_batch",
    why=(
        "You averaged over the pictures; the same weight serves all of them, "
        "and each use adds to its gradient. A mean belongs into the loss."
    ),
    change={"return grad.reshape": "return grad.div(len(input)).reshape"},
)


@wrong(
    why=(
        "You kept a gradient for each picture; all of them pass through the "
        "same weight, so it gets the sum over the batch."
    )
)
def one_for_each_picture(grad_output, input, kernel_size, *, stride=1, padding=0, dilation=1):
    patches = unfold(input, kernel_size, stride=stride, padding=padding, dilation=dilation)
    grad = torch.einsum("bfl,bpl->bfp", grad_output.flatten(2), patches)
    return grad.reshape(*grad.shape[:2], input.shape[1], *kernel_size)


wrong(
    "mean_over_the_places",
    why=(
        "You averaged over the places; a shared weight gets the sum of what "
        "each of its uses asks for."
    ),
    change={"return grad.reshape": "return grad.div(patches.shape[2]).reshape"},
)


wrong(
    "flipped",
    why=("The kernel's gradient came out flipped: only the gradient of the input needs a flip."),
    change={"*kernel_size)": "*kernel_size).flip(2, 3)"},
)


wrong(
    "transposed_by_reshape",
    why=(
        "The product came out as (patch, filter), and `reshape` does not "
        "transpose: it deals the numbers out in the order in which they lie."
    ),
    change={'->fp"': '->pf"', "grad.shape[0]": "grad.shape[1]"},
)


@wrong(
    why=(
        "The patches that the gradients meet are not those that the forward pass read: with "
        "padding, each has to begin where it began there."
    )
)
def steps_forgotten(grad_output, input, kernel_size, *, stride=1, padding=0, dilation=1):
    patches = unfold(
        F.pad(input, [0, 2 * padding] * 2), kernel_size, stride=stride, dilation=dilation
    )
    grad = torch.einsum("bfl,bpl->fp", grad_output.flatten(2), patches)
    return grad.reshape(grad.shape[0], input.shape[1], *kernel_size)
