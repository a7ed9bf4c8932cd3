"""Right and wrong answers to `convolution.avg_pool2d`."""

import torch.nn.functional as F

from grader.author.answers import right, wrong
from solutions.convolution import conv2d, max_pool2d


@right
def mean_of_each_window(input, kernel_size, *, stride=None):
    step = stride or kernel_size
    return input.unfold(2, kernel_size, step).unfold(3, kernel_size, step).mean((-1, -2))


@right
def differences_of_running_sums(input, kernel_size, *, stride=None):
    stride = stride or kernel_size
    sums = F.pad(input.cumsum(2).cumsum(3), (1, 0, 1, 0))  # over everything above and left
    k = kernel_size
    total = sums[:, :, k:, k:] - sums[:, :, :-k, k:] - sums[:, :, k:, :-k]
    total = total + sums[:, :, :-k, :-k]
    return total[:, :, ::stride, ::stride] / (k * k)


wrong(
    "sum_for_mean",
    why=("The window is summed up; divide by its pixels, or the numbers grow from layer to layer."),
    change={"1 / kernel_size**2": "1.0"},
)


wrong(
    "one_side_for_area",
    why="A window of k × k has k² pixels; you divided by k.",
    change={"1 / kernel_size**2": "1 / kernel_size"},
)


wrong(
    "stride_one",
    why=("Without a stride the windows lie side by side; you moved them by one pixel."),
    change={"stride or kernel_size": "stride or 1"},
)


@wrong(
    why=(
        "Without groups each filter adds up the windows of all channels; a "
        "channel is pooled by itself, with a group for each."
    )
)
def channels_mixed(input, kernel_size, *, stride=None):
    channels = input.shape[1]
    shape = channels, channels, kernel_size, kernel_size
    kernel = input.new_full(shape, 1 / kernel_size**2)
    return conv2d(input, kernel, stride=stride or kernel_size)


@wrong(
    why=(
        "That is max pooling: it keeps the largest number and drops the "
        "others, while the average hears all of them."
    )
)
def maximum(input, kernel_size, *, stride=None):
    return max_pool2d(input, kernel_size, stride=stride)


@wrong(why="Zeros are numbers, too: you divided by how many of the window are not zero.")
def mean_of_what_is_not_zero(input, kernel_size, *, stride=None):
    step = stride or kernel_size
    windows = input.unfold(2, kernel_size, step).unfold(3, kernel_size, step).flatten(4)
    return windows.sum(-1) / (windows != 0).sum(-1).clamp(min=1)
