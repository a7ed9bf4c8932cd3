"""Right and wrong answers to `convolution.conv2d_matrix`."""

import torch

from grader.author.answers import right, wrong
from solutions.convolution import output_size


@right
def weights_written_into_place(weight, size, *, stride=1, padding=0, dilation=1):
    filters, channels, tall, wide = weight.shape
    height, width = size
    steps = {"stride": stride, "padding": padding, "dilation": dilation}
    rows = output_size(height, tall, **steps)
    columns = output_size(width, wide, **steps)
    matrix = weight.new_zeros(filters, rows, columns, channels, height, width)
    for i in range(rows):
        for j in range(columns):
            for u in range(tall):
                for v in range(wide):
                    y, x = stride * i + dilation * u, stride * j + dilation * v
                    y, x = y - padding, x - padding
                    if 0 <= y < height and 0 <= x < width:
                        matrix[:, i, j, :, y, x] = weight[:, :, u, v]
    return matrix.reshape(filters * rows * columns, channels * height * width)


@right
def places_of_rows_and_columns(weight, size, *, stride=1, padding=0, dilation=1):
    filters, channels, tall, wide = weight.shape
    height, width = size

    def places(n, k):  # which input meets which weight at which place
        count = (n + 2 * padding - dilation * (k - 1) - 1) // stride + 1
        place = torch.arange(count)[:, None, None]
        offset = torch.arange(k)[None, :, None]
        return (stride * place + dilation * offset - padding == torch.arange(n)).to(weight)

    matrix = torch.einsum("fcuv,iuh,jvw->fijchw", weight, places(height, tall), places(width, wide))
    return matrix.flatten(0, 2).flatten(1)


wrong(
    "transposed",
    why=("You have one row per input; the outputs are the rows, so that M x works."),
    change={".flatten(1).T": ".flatten(1)"},
)


wrong(
    "flipped",
    why=(
        "The kernel stands in the matrix backwards; each row holds it as it "
        "is, since nothing is flipped here."
    ),
    change={"*shape), weight,": "*shape), weight.flip(2, 3),"},
)


wrong(
    "channels_last",
    why=(
        "The columns are ordered pixel by pixel, with the channels inside; "
        "`x.flatten()` goes through one channel after the other."
    ),
    change={
        "units.reshape(-1, *shape)": (
            "units.reshape(-1, *size, weight.shape[1]).permute(0, 3, 1, 2)"
        )
    },
)


wrong(
    "filters_last",
    why=(
        "The rows are ordered place by place, with the filters inside; "
        "`conv2d(x).flatten()` goes through one filter after the other."
    ),
    change={".flatten(1).T": ".permute(0, 2, 3, 1).flatten(1).T"},
)


wrong(
    "size_swapped",
    why="`size` is (H, W): the height comes first.",
    change={"*size\n": "*reversed(size)\n"},
)


wrong(
    "steps_ignored",
    why="The matrix does not know stride, padding or dilation.",
    change={"weight, **steps)": "weight)"},
)
