"""Right and wrong answers to `efficient_attention.causal_convolution`."""

import torch
import torch.nn.functional as F

from grader.author.answers import right, wrong


@right
def complex_transforms(x, kernel):
    length = x.shape[1]
    rows = F.pad(x.transpose(1, 2), (0, length))
    answer = F.pad(kernel, (0, length))
    product = torch.fft.fft(rows) * torch.fft.fft(answer)
    return torch.fft.ifft(product).real[..., :length].transpose(1, 2)


@right
def filled_up_to_a_power_of_two(x, kernel):
    length, size = x.shape[1], 1
    while size < 2 * length - 1:
        size *= 2
    size = max(size, 2)
    found = torch.fft.rfft(x.mT, n=size) * torch.fft.rfft(kernel, n=size)
    return torch.fft.irfft(found, n=size)[:, :, :length].mT


@wrong(
    why=(
        "You computed the convolution directly: the result is right, but takes T² products. The "
        "Fourier transform needs T log T."
    ),
)
def directly(x, kernel):
    length = x.shape[1]
    padded = F.pad(x.transpose(1, 2), (length - 1, 0))
    return F.conv1d(padded, kernel.flip(1)[:, None], groups=len(kernel)).transpose(1, 2)


@wrong(
    why=(
        "The Fourier transform treats both as periodic: without zeros after them, the end of the "
        "text wraps around to its beginning, and the past sees the future."
    ),
)
def around_the_end(x, kernel):
    length = x.shape[1]
    product = torch.fft.rfft(x, dim=1) * torch.fft.rfft(kernel, dim=1).T
    return torch.fft.irfft(product, length, dim=1)


@wrong(
    why=(
        "You multiplied each kernel entry by the text, or each position by all entries: no large "
        "tensor, but still T² products. The Fourier transform needs T log T."
    ),
)
def entry_by_entry(x, kernel):
    length, found = x.shape[1], torch.zeros_like(x)
    for back in range(length):
        found = found + kernel[:, back] * F.pad(x[:, : length - back], (0, 0, back, 0))
    return found


wrong(
    "conjugated",
    why=(
        "You conjugated one factor: that is a cross-correlation, which does not reverse the kernel "
        "and looks into the future."
    ),
    change={"spectrum * answer": "spectrum * answer.conj()"},
)


wrong(
    "the_second_half",
    why="Of the 2 T positions the first T are the answer; you returned the others.",
    change={"[:, :length]": "[:, length:]"},
)


wrong(
    "kernel_turned_around",
    why="You reversed the kernel first; k_0 belongs to the newest position.",
    change={"torch.fft.rfft(kernel, 2": "torch.fft.rfft(kernel.flip(1), 2"},
)


wrong(
    "transformed_along_the_features",
    why="You transformed x along the features; transform along the positions.",
    change={
        "torch.fft.rfft(x, 2 * length, dim=1)": (
            "torch.fft.rfft(x, 2 * length, dim=2).transpose(1, 2)[:, :, :1].expand(-1, -1, "
            "x.shape[2])"
        )
    },
)


wrong(
    "one_kernel_for_all",
    why="Each feature has its own kernel; you used the first one for all.",
    change={"torch.fft.rfft(kernel, 2": "torch.fft.rfft(kernel[:1].expand_as(kernel), 2"},
)
