"""Right and wrong answers to `convolution.max_pool2d`."""

import math

import torch
import torch.nn.functional as F

from grader.author.answers import right, wrong
from solutions.convolution import output_size, unfold


@right
def mark_the_first_of_the_largest(input, kernel_size, *, stride=None):
    step = kernel_size if stride is None else stride
    windows = input.unfold(2, kernel_size, step).unfold(3, kernel_size, step).flatten(4)
    order = torch.arange(windows.shape[-1], 0, -1)
    first = ((windows == windows.amax(-1, keepdim=True)) * order).argmax(-1)
    chosen = F.one_hot(first, windows.shape[-1]).to(input.dtype)
    return (windows * chosen).sum(-1)


@right
def one_weight_after_another(input, kernel_size, *, stride=None):
    stride = stride or kernel_size
    rows = (input.shape[2] - kernel_size) // stride + 1
    columns = (input.shape[3] - kernel_size) // stride + 1
    best = None
    for u in range(kernel_size):
        for v in range(kernel_size):
            seen = input[:, :, u : u + stride * rows : stride]
            seen = seen[:, :, :, v : v + stride * columns : stride]
            best = seen if best is None else torch.where(seen > best, seen, best)
    return best.clone()


wrong(
    "ties_shared",
    why=(
        "The values are right, but `amax` divides the gradient evenly among "
        "equals; here the first takes it all. After a ReLU windows full of "
        "zeros are common."
    ),
    change={"windows.max(dim=1).values": "windows.amax(dim=1)"},
)


wrong(
    "last_of_equals",
    why=("Of equal numbers the last one got the gradient; the first should, row by row."),
    change={"windows.max(dim=1)": "windows.flip(1).max(dim=1)"},
)


wrong(
    "stride_one",
    why=(
        "Without a stride the windows lie side by side; you moved them by one "
        "pixel, so the picture hardly gets smaller."
    ),
    change={"stride = stride or kernel_size": "stride = stride or 1"},
)


wrong(
    "averaged",
    why=("You averaged the window; the maximum keeps the strongest answer and forgets the rest."),
    change={"windows.max(dim=1).values": "windows.mean(dim=1)"},
)


@wrong(
    why=(
        "The maximum was taken over all channels of a window, and each of them "
        "got it; a channel is pooled by itself."
    )
)
def over_the_channels(input, kernel_size, *, stride=None):
    stride = stride or kernel_size
    rows = output_size(input.shape[2], kernel_size, stride=stride)
    windows = unfold(input, (kernel_size, kernel_size), stride=stride)
    largest = windows.argmax(dim=1, keepdim=True)
    pooled = windows.gather(1, largest).reshape(len(input), 1, rows, -1)
    return pooled.expand(-1, input.shape[1], -1, -1).clone()


wrong(
    "largest_absolute_value",
    why=("You took the number of largest size, whatever its sign; −5 is smaller than 1."),
    change={
        "windows.max(dim=1).values": (
            "windows.gather(1, windows.abs().argmax(dim=1, keepdim=True)).squeeze(1)"
        )
    },
)


@wrong(
    why=(
        "Rows and columns that do not fill a window are dropped; you pooled "
        "them as well, and the result is larger."
    )
)
def rest_pooled_too(input, kernel_size, *, stride=None):
    stride = stride or kernel_size
    height, width = input.shape[2:]
    input = F.pad(
        input,
        (0, (kernel_size - width) % stride, 0, (kernel_size - height) % stride),
        value=-math.inf,
    )
    rows = output_size(input.shape[2], kernel_size, stride=stride)
    pictures = input.flatten(0, 1).unsqueeze(1)
    windows = unfold(pictures, (kernel_size, kernel_size), stride=stride)
    largest = windows.argmax(dim=1, keepdim=True)
    return windows.gather(1, largest).reshape(*input.shape[:2], rows, -1)


@wrong(
    why=(
        "Of equal numbers the first one, row by row, gets the gradient; you read the windows "
        "column by column, and then another one is first."
    ),
    corner=True,
)
def first_column_by_column(input, kernel_size, *, stride=None):
    step = stride or kernel_size
    windows = input.unfold(2, kernel_size, step).unfold(3, kernel_size, step)
    windows = windows.transpose(-1, -2).flatten(4)
    return windows.gather(-1, windows.argmax(-1, keepdim=True)).squeeze(-1)
