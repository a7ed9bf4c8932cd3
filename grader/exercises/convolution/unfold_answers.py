"""Right and wrong answers to `convolution.unfold`."""

import torch
import torch.nn.functional as F

from grader.author.answers import right, wrong
from solutions.convolution import output_size


@right
def windows_as_a_view(input, kernel_size, *, stride=1, padding=0, dilation=1):
    height, width = kernel_size
    windows = F.pad(input, (padding, padding, padding, padding))
    windows = windows.unfold(2, dilation * (height - 1) + 1, stride)
    windows = windows.unfold(3, dilation * (width - 1) + 1, stride)
    windows = windows[..., ::dilation, ::dilation]  # (B, C, rows, columns, height, width)
    columns = windows.permute(0, 1, 4, 5, 2, 3)
    return columns.reshape(len(input), input.shape[1] * height * width, -1)


@right
def pixels_by_index(input, kernel_size, *, stride=1, padding=0, dilation=1):
    height, width = kernel_size
    padded = torch.nn.ZeroPad2d(padding)(input)
    top = torch.arange(0, padded.shape[2] - dilation * (height - 1), stride)
    left = torch.arange(0, padded.shape[3] - dilation * (width - 1), stride)
    row = (top + dilation * torch.arange(height)[:, None])[:, None, :, None]
    column = (left + dilation * torch.arange(width)[:, None])[None, :, None, :]
    return padded[:, :, row, column].flatten(4).flatten(1, 3)


wrong(
    "places_in_rows",
    why=(
        "Each patch became a row; here a patch is a column, so that weights "
        "times patches is a matrix product."
    ),
    change={".flatten(1, 2)": ".flatten(1, 2).mT"},
)


wrong(
    "channels_last",
    why=(
        "The channels change fastest in your columns; a filter (channels, "
        "height, width), flattened, has one whole window per channel."
    ),
    change={"dim=2": "dim=1"},
)


@wrong(why=("The windows are read column by column; a kernel that is flattened runs row by row."))
def window_column_by_column(input, kernel_size, *, stride=1, padding=0, dilation=1):
    height, width = kernel_size
    steps = {"stride": stride, "padding": padding, "dilation": dilation}
    rows = output_size(input.shape[2], height, **steps)
    columns = output_size(input.shape[3], width, **steps)
    padded = F.pad(input, [padding] * 4)
    seen = [
        padded[:, :, i : i + stride * rows : stride, j : j + stride * columns : stride]
        for j in range(0, dilation * width, dilation)
        for i in range(0, dilation * height, dilation)
    ]
    return torch.stack(seen, dim=2).flatten(3).flatten(1, 2)


wrong(
    "places_column_by_column",
    why=(
        "The places run down the columns first; the result could not be "
        "reshaped into a picture (rows, columns)."
    ),
    change={".flatten(3)": ".mT.flatten(3)"},
)


wrong(
    "edge_repeated",
    why=("The picture was padded with copies of its edge; zero padding adds zeros."),
    change={"[padding] * 4)": '[padding] * 4, mode="replicate")'},
)


wrong(
    "stride_ignored",
    why=(
        "Neighboring places lie one pixel apart although the stride is larger; "
        "it must be the step of the slice."
    ),
    change={
        "i : i + stride * rows : stride, j : j + stride * columns : stride": (
            "i : i + rows, j : j + columns"
        )
    },
)


wrong(
    "dilation_ignored",
    why=("The weights look at adjacent pixels; with dilation d they look at every d-th."),
    change={
        "range(0, dilation * height, dilation)": "range(height)",
        "range(0, dilation * width, dilation)": "range(width)",
    },
)


@wrong(
    why=(
        "Stride and dilation changed places: the stride is between two places "
        "of the kernel, the dilation between two weights inside of it."
    )
)
def dilation_for_stride(input, kernel_size, *, stride=1, padding=0, dilation=1):
    stride, dilation = dilation, stride
    height, width = kernel_size
    steps = {"stride": stride, "padding": padding, "dilation": dilation}
    rows = output_size(input.shape[2], height, **steps)
    columns = output_size(input.shape[3], width, **steps)
    padded = F.pad(input, [padding] * 4)
    seen = [
        padded[:, :, i : i + stride * rows : stride, j : j + stride * columns : stride]
        for i in range(0, dilation * height, dilation)
        for j in range(0, dilation * width, dilation)
    ]
    return torch.stack(seen, dim=2).flatten(3).flatten(1, 2)
