"""Right and wrong answers to `convolution.correlate2d`."""

import torch
import torch.nn.functional as F

from grader.author.answers import right, wrong
from solutions.convolution import output_size


@right
def one_weight_after_another(input, kernel):
    height, width = kernel.shape
    rows, columns = input.shape[0] - height + 1, input.shape[1] - width + 1
    total = 0.0
    for u in range(height):
        for v in range(width):
            total = total + kernel[u, v] * input[u : u + rows, v : v + columns]
    return total


@right
def windows_as_a_view(input, kernel):
    windows = input.unfold(0, kernel.shape[0], 1).unfold(1, kernel.shape[1], 1)
    return torch.einsum("ijuv,uv->ij", windows, kernel)


wrong(
    "flipped",
    why=(
        "You flipped the kernel: that is convolution as signal processing "
        "defines it; networks, and this formula, leave the kernel as it is "
        "(cross-correlation)."
    ),
    change={"* kernel)": "* kernel.flip(0, 1))"},
)


wrong(
    "last_place_missed",
    why=("A kernel of height h fits into H rows at H − h + 1 places; the last of them is missing."),
    change={
        "rows = output_size(input.shape[0], height)": "rows = input.shape[0] - height",
        "columns = output_size(input.shape[1], width)": "columns = input.shape[1] - width",
    },
)


wrong(
    "mean_of_the_products",
    why=(
        "The products are averaged instead of summed, so the result shrinks "
        "with the size of the kernel."
    ),
    change={").sum()": ").mean()"},
)


@wrong(
    why=(
        "The kernel lies on its side: its first axis runs down the rows, like that of the picture."
    )
)
def kernel_transposed(input, kernel):
    width, height = kernel.shape
    rows = output_size(input.shape[0], height)
    columns = output_size(input.shape[1], width)
    output = input.new_empty(rows, columns)
    for i in range(rows):
        for j in range(columns):
            window = input[i : i + height, j : j + width]
            output[i, j] = (window * kernel.T).sum()
    return output


@wrong(
    why=(
        "You added zeros around the picture, so that the result is as large as "
        "the picture; here only the places count at which the whole kernel "
        "fits."
    )
)
def same_size(input, kernel):
    height, width = kernel.shape
    padded = F.pad(input, (0, width - 1, 0, height - 1))
    output = torch.zeros_like(input)
    for i in range(input.shape[0]):
        for j in range(input.shape[1]):
            output[i, j] = (padded[i : i + height, j : j + width] * kernel).sum()
    return output


@wrong(
    why=(
        "A Fourier transform mixes all pixels, and rounds relative to the largest of them: one far "
        "value spoils every output, also those whose window does not hold it."
    ),
    corner=True,
)
def by_fourier_transform(input, kernel):
    rows, columns = (n - k + 1 for n, k in zip(input.shape, kernel.shape))
    spectrum = torch.fft.rfft2(kernel, s=input.shape).conj() * torch.fft.rfft2(input)
    return torch.fft.irfft2(spectrum, s=input.shape)[:rows, :columns]
