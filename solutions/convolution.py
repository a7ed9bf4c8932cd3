"""Convolution and pooling from loops to layers, and two networks made of them.

Builds the convolution of `torch.nn.functional.conv2d` three times (as loops, as one matrix product
over patches, as one matrix), its gradients by hand, pooling, the arithmetic of sizes, costs and
receptive fields, LeNet and a small residual network, and the blocks that came after.

Like all of deep learning, "convolution" means cross-correlation here: the kernel is not flipped.

Sources: LeCun et al. 1998, "Gradient-Based Learning Applied to Document Recognition" (LeNet,
section II); Dumoulin and Visin 2016, "A Guide to Convolution Arithmetic for Deep Learning" (sizes,
transposed convolution); Araujo et al. 2019, "Computing Receptive Fields of Convolutional Neural
Networks"; He et al. 2016, "Deep Residual Learning for Image Recognition" (section 3), and
"Identity Mappings in Deep Residual Networks"; Liu et al. 2022, "A ConvNet for the 2020s".
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import nn


def shift(input: torch.Tensor, *, down: int = 0, right: int = 0) -> torch.Tensor:
    """Move pictures by whole pixels; what leaves is gone, and what comes in is zero.

    Args:
        input: (..., H, W) float, ∞ and NaN too.
        down: pixels to move down, as many as you like; negative moves up.
        right: pixels to move to the right; negative moves to the left.

    Returns:
        The shape, dtype and device of ``input``. All zeros where the pictures have left entirely.
    """
    height, width = input.shape[-2:]
    down = max(-height, min(down, height))  # gone is gone
    right = max(-width, min(right, width))
    return F.pad(input, (right, -right, down, -down))  # a negative pad cuts off


def output_size(
    size: int, kernel_size: int, *, stride: int = 1, padding: int = 0, dilation: int = 1
) -> int:
    """Count the places at which a kernel fits along one axis.

    The kernel stands at the beginning of the padded axis first and moves on by whole strides, as
    long as all of its weights lie on the padded axis (Dumoulin and Visin 2016, relationship 15).

    Args:
        size: pixels along the axis.
        kernel_size: weights along the axis.
        stride: pixels from one place to the next.
        padding: zeros added at each end.
        dilation: pixels from one weight to the next.

    Returns:
        Outputs along the axis.

    Raises:
        ValueError: the kernel fits nowhere.
    """
    span = dilation * (kernel_size - 1) + 1  # pixels from the first weight to the last
    if span > size + 2 * padding:
        raise ValueError(
            f"a kernel that spans {span} pixels does not fit into {size} + 2·{padding}; "
            "take a smaller kernel or dilation, or more padding"
        )
    return (size + 2 * padding - span) // stride + 1


def correlate2d(input: torch.Tensor, kernel: torch.Tensor) -> torch.Tensor:
    """Slide a kernel over one picture: at each place, multiply and add up. With loops.

    y[i, j] = Σ_uv x[i + u, j + v] w[u, v], at every place where the kernel fits.

    Args:
        input: x, (H, W) float.
        kernel: w, (height, width) float.

    Returns:
        y, (H − height + 1, W − width + 1); gradients reach ``input`` and ``kernel``.
    """
    height, width = kernel.shape
    rows = output_size(input.shape[0], height)
    columns = output_size(input.shape[1], width)
    output = input.new_empty(rows, columns)
    for i in range(rows):
        for j in range(columns):
            output[i, j] = (input[i : i + height, j : j + width] * kernel).sum()
    return output


def unfold(
    input: torch.Tensor,
    kernel_size: Sequence[int],
    *,
    stride: int = 1,
    padding: int = 0,
    dilation: int = 1,
) -> torch.Tensor:
    """Lay out what the kernel sees at each place as a column ("im2col").

    A column holds channel after channel, and in each the window row by row; the places run row by
    row too. With L places, this is the order of `F.unfold`.

    Args:
        input: (B, channels, H, W) float.
        kernel_size: height and width of the kernel.
        stride: pixels from one place to the next.
        padding: zeros added on each of the four sides.
        dilation: pixels from one weight to the next.

    Returns:
        (B, channels · height · width, L); gradients reach ``input``.
    """
    height, width = kernel_size
    steps = {"stride": stride, "padding": padding, "dilation": dilation}
    rows = output_size(input.shape[2], height, **steps)
    columns = output_size(input.shape[3], width, **steps)
    padded = F.pad(input, [padding] * 4)
    seen = [  # by one weight, from all places
        padded[:, :, i : i + stride * rows : stride, j : j + stride * columns : stride]
        for i in range(0, dilation * height, dilation)
        for j in range(0, dilation * width, dilation)
    ]
    return torch.stack(seen, dim=2).flatten(3).flatten(1, 2)  # (B, C, hw, rows, columns) first


def conv2d(
    input: torch.Tensor,
    weight: torch.Tensor,
    bias: torch.Tensor | None = None,
    *,
    stride: int = 1,
    padding: int = 0,
    dilation: int = 1,
    groups: int = 1,
) -> torch.Tensor:
    """Convolve pictures with filters, as one matrix product over the patches of `unfold`.

    y[b, f, i, j] = β[f] + Σ_cuv x[b, c, s i + d u − p, s j + d v − p] w[f, c, u, v], where x is
    zero outside of the picture. With groups, the channels and the filters are divided into that
    many parts of equal size, in order, and each part of the filters sees its part of the channels.

    `F.conv2d` is faster, above all on small pictures: it never writes the patches down, which hold
    each pixel up to height · width times.

    Args:
        input: x, (B, channels, H, W) float.
        weight: w, (filters, channels / groups, height, width) float.
        bias: β, (filters,) float; without it nothing is added.
        stride: s, pixels from one place to the next.
        padding: p, zeros added on each of the four sides.
        dilation: d, pixels from one weight to the next.
        groups: divides both channels and filters.

    Returns:
        y, (B, filters, rows, columns), with `output_size` rows and columns.

    Raises:
        ValueError: channels, filters and groups do not fit, or groups leave a rest of either.
    """
    channels = input.shape[1]
    filters, depth, height, width = weight.shape
    if depth * groups != channels or filters % groups:
        raise ValueError(
            f"{filters} filters for {depth} channels each, in {groups} groups, do not fit an input "
            f"of {channels} channels: channels / groups must be {depth}, filters / groups whole"
        )
    steps = {"stride": stride, "padding": padding, "dilation": dilation}
    patches = unfold(input, (height, width), **steps)  # (B, channels · hw, L)
    patches = patches.unflatten(1, (groups, depth * height * width))
    kernels = weight.reshape(groups, filters // groups, -1)
    output = kernels @ patches  # (G, F/G, depth · hw) x (B, G, depth · hw, L) -> (B, G, F/G, L)
    rows = output_size(input.shape[2], height, **steps)
    output = output.flatten(1, 2).unflatten(2, (rows, -1))  # (B, filters, rows, columns)
    return output if bias is None else output + bias[:, None, None]


def conv2d_matrix(
    weight: torch.Tensor,
    size: Sequence[int],
    *,
    stride: int = 1,
    padding: int = 0,
    dilation: int = 1,
) -> torch.Tensor:
    """Write a convolution as the matrix that it is: conv2d(x).flatten() = M x.flatten().

    Column n of the matrix of any linear map is what the map makes of the n-th unit vector.

    Args:
        weight: (filters, channels, height, width) float.
        size: H and W of the pictures.
        stride: pixels from one place to the next.
        padding: zeros added on each of the four sides.
        dilation: pixels from one weight to the next.

    Returns:
        M, (filters · rows · columns, channels · H · W), in the dtype and on the device of
        ``weight``.
    """
    shape = weight.shape[1], *size
    units = torch.eye(math.prod(shape), dtype=weight.dtype, device=weight.device)
    steps = {"stride": stride, "padding": padding, "dilation": dilation}
    return conv2d(units.reshape(-1, *shape), weight, **steps).flatten(1).T


def conv2d_input_gradient(
    grad_output: torch.Tensor,
    weight: torch.Tensor,
    size: Sequence[int],
    *,
    stride: int = 1,
    padding: int = 0,
    dilation: int = 1,
) -> torch.Tensor:
    """Gradient with respect to the input of a convolution: the transposed convolution.

    The gradient with stride − 1 zeros between its entries is convolved with the flipped kernels;
    channels and filters change places (Dumoulin and Visin 2016, section 4.6).

    Args:
        grad_output: ∂L/∂y, (B, filters, rows, columns) float.
        weight: (filters, channels, height, width) float, of the same dtype.
        size: H and W of the input, which stride may leave open.
        stride: of the convolution.
        padding: of the convolution.
        dilation: of the convolution.

    Returns:
        ∂L/∂x, (B, channels, H, W), in the dtype and on the device of ``grad_output``.
    """
    batch, filters, rows, columns = grad_output.shape
    spread = grad_output.new_zeros(batch, filters, rows, stride, columns, stride)
    spread[:, :, :, 0, :, 0] = grad_output  # and zeros down and to the right of each
    spread = spread.reshape(batch, filters, rows * stride, columns * stride)
    below, beside = (dilation * (k - 1) for k in weight.shape[2:])
    flipped = weight.flip(2, 3).transpose(0, 1)  # (filters, channels, ...) -> (channels, filters)
    full = conv2d(F.pad(spread, (beside, beside, below, below)), flipped, dilation=dilation)
    bottom = size[0] + padding - full.shape[2]
    end = size[1] + padding - full.shape[3]
    return F.pad(full, (-padding, end, -padding, bottom))  # cut off, or add what no kernel saw


def conv2d_weight_gradient(
    grad_output: torch.Tensor,
    input: torch.Tensor,
    kernel_size: Sequence[int],
    *,
    stride: int = 1,
    padding: int = 0,
    dilation: int = 1,
) -> torch.Tensor:
    """Gradient with respect to the weight of a convolution: what each weight met, summed up.

    ∂L/∂w[f, c, u, v] = Σ_bij ∂L/∂y[b, f, i, j] x[b, c, s i + d u − p, s j + d v − p].

    Args:
        grad_output: ∂L/∂y, (B, filters, rows, columns) float.
        input: x, (B, channels, H, W) float.
        kernel_size: height and width of the kernel.
        stride: s of the convolution.
        padding: p of the convolution.
        dilation: d of the convolution.

    Returns:
        ∂L/∂w, (filters, channels, height, width), in the dtype and on the device of both tensors.
    """
    patches = unfold(input, kernel_size, stride=stride, padding=padding, dilation=dilation)
    grad = torch.einsum("bfl,bpl->fp", grad_output.flatten(2), patches)
    return grad.reshape(grad.shape[0], input.shape[1], *kernel_size)


def max_pool2d(input: torch.Tensor, kernel_size: int, *, stride: int | None = None) -> torch.Tensor:
    """Keep the largest number of each window, channel by channel.

    Among equals the first counts, row by row: it alone gets the gradient. Rows and columns at the
    end that do not fill a window are dropped.

    Args:
        input: (B, channels, H, W) float, finite.
        kernel_size: pixels along each side of the square window.
        stride: pixels from one window to the next; without it windows lie side by side.

    Returns:
        (B, channels, rows, columns), with `output_size` rows and columns.
    """
    stride = stride or kernel_size
    rows = output_size(input.shape[2], kernel_size, stride=stride)
    pictures = input.flatten(0, 1).unsqueeze(1)  # every channel by itself: (B · channels, 1, H, W)
    windows = unfold(pictures, (kernel_size, kernel_size), stride=stride)
    pooled = windows.max(dim=1).values  # of equals it takes the first; (B · channels, L)
    return pooled.unflatten(1, (rows, -1)).unflatten(0, input.shape[:2])


def avg_pool2d(input: torch.Tensor, kernel_size: int, *, stride: int | None = None) -> torch.Tensor:
    """Average each window, channel by channel: a convolution whose weights are fixed.

    Args:
        input: (B, channels, H, W) float, finite. What one pixel that is larger by far leaves of
            other windows by rounding is not checked: differences of running sums will do.
        kernel_size: pixels along each side of the square window.
        stride: pixels from one window to the next; without it windows lie side by side.

    Returns:
        (B, channels, rows, columns), with `output_size` rows and columns, in the dtype and on the
        device of ``input``.
    """
    channels = input.shape[1]
    kernel = input.new_full((channels, 1, kernel_size, kernel_size), 1 / kernel_size**2)
    return conv2d(input, kernel, stride=stride or kernel_size, groups=channels)


def conv2d_cost(
    in_channels: int,
    out_channels: int,
    kernel_size: int,
    *,
    size: int,
    stride: int = 1,
    padding: int = 0,
    groups: int = 1,
) -> tuple[int, int]:
    """Count the parameters of a convolution with bias, and its multiply-adds on one picture.

    Args:
        in_channels: channels of the picture.
        out_channels: filters.
        kernel_size: weights along each side of the square kernel.
        size: pixels along each side of the square picture.
        stride: pixels from one place to the next.
        padding: zeros added on each side; multiplying by them counts.
        groups: parts into which channels and filters are divided.

    Returns:
        Parameters, and multiply-adds (adding the bias is none). Counts beyond 2⁵³ are not checked.
    """
    weights = out_channels * (in_channels // groups) * kernel_size**2
    places = output_size(size, kernel_size, stride=stride, padding=padding) ** 2
    return weights + out_channels, weights * places


def receptive_field(layers: Sequence[Sequence[int]]) -> tuple[int, int, int]:
    """Say which pixels the outputs of stacked layers see along an axis.

    Output i sees the pixels from start + i · step to start + i · step + field − 1, of which those
    below 0 are zeros that padding added (Araujo et al. 2019, on single-path networks, with
    dilation). A stack of no layers is the picture: each pixel sees itself.

    Args:
        layers: kernel size, stride, dilation and padding of each layer, the first layer first;
            pooling counts as one, too.

    Returns:
        field, step and start.
    """
    field, step, start = 1, 1, 0
    for kernel_size, stride, dilation, padding in layers:
        start -= padding * step
        field += (kernel_size - 1) * dilation * step
        step *= stride
    return field, step, start


class Conv2d(nn.Module):
    """A convolution as a layer; parameters are named and shaped as in `nn.Conv2d`.

    On CUDA, torch 2.11's `torch.compile` returned wrong numbers for this layer in one test (3 to 5
    channels); compile `nn.Conv2d` there.

    Attributes:
        weight: parameter (out_channels, in_channels / groups, kernel_size, kernel_size).
        bias: parameter (out_channels,); there is none with ``bias=False``.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        *,
        kernel_size: int,
        stride: int = 1,
        padding: int = 0,
        dilation: int = 1,
        groups: int = 1,
        bias: bool = True,
        device: torch.device | str | None = None,
    ) -> None:
        """Draw the parameters evenly from ±1/√n, where n inputs go into one output.

        Args:
            in_channels: channels of the pictures.
            out_channels: filters.
            kernel_size: weights along each side of the square kernel.
            stride: pixels from one place to the next.
            padding: zeros added on each of the four sides.
            dilation: pixels from one weight to the next.
            groups: parts into which channels and filters are divided.
            bias: whether there is one.
            device: where the parameters go.
        """
        super().__init__()
        self.steps = {"stride": stride, "padding": padding, "dilation": dilation}
        self.groups = groups
        shape = out_channels, in_channels // groups, kernel_size, kernel_size
        self.weight, self.bias = _parameters(shape, bias, device)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Convolve.

        Args:
            x: (B, in_channels, H, W) float.

        Returns:
            (B, out_channels, rows, columns), with `output_size` rows and columns.
        """
        return conv2d(x, self.weight, self.bias, groups=self.groups, **self.steps)


def _parameters(
    shape: Sequence[int], bias: bool, device: torch.device | str | None
) -> tuple[nn.Parameter, nn.Parameter | None]:
    """Weight and bias drawn from ±1/√n, with n = channels · height · width; `nn.Conv2d` does so."""
    bound = 1 / math.sqrt(math.prod(shape[1:]))
    weight = torch.empty(*shape, device=device).uniform_(-bound, bound)
    start = torch.empty(shape[0], device=device).uniform_(-bound, bound)
    return nn.Parameter(weight), nn.Parameter(start) if bias else None


class LeNet(nn.Module):
    """Two rounds of convolution, ReLU and 2×2 max pooling, then three dense layers.

    A ReLU follows every layer but the last.
    In the order of LeNet-5 (LeCun et al. 1998, figure 2), with simpler parts: that one had 5×5
    kernels on 32×32 pixels, a scaled tanh, averages with a learned weight and bias for pooling,
    second filters that saw some of the maps each, and distances to fixed patterns for scores.

    Attributes:
        conv1: `Conv2d` 3×3 with padding 1, in_channels to channels[0].
        conv2: `Conv2d` 3×3 with padding 1, channels[0] to channels[1].
        fc1: `nn.Linear`, channels[1] · (size // 4)² features, one channel after the other, to
            hidden[0].
        fc2: `nn.Linear`, hidden[0] to hidden[1].
        fc3: `nn.Linear`, hidden[1] to classes.
    """

    def __init__(
        self,
        in_channels: int = 1,
        classes: int = 10,
        *,
        size: int = 8,
        channels: tuple[int, int] = (6, 16),
        hidden: tuple[int, int] = (120, 84),
        device: torch.device | str | None = None,
    ) -> None:
        """Make the five layers.

        Args:
            in_channels: channels of the pictures.
            classes: scores to give.
            size: pixels along each side of the square pictures.
            channels: filters of the two convolutions.
            hidden: outputs of the first two dense layers.
            device: where the parameters go.
        """
        super().__init__()
        self.conv1 = Conv2d(in_channels, channels[0], kernel_size=3, padding=1, device=device)
        self.conv2 = Conv2d(channels[0], channels[1], kernel_size=3, padding=1, device=device)
        self.fc1 = nn.Linear(channels[1] * (size // 4) ** 2, hidden[0], device=device)
        self.fc2 = nn.Linear(hidden[0], hidden[1], device=device)
        self.fc3 = nn.Linear(hidden[1], classes, device=device)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Score every picture once per class.

        Args:
            x: (B, in_channels, size, size) float, contiguous.

        Returns:
            (B, classes), scores.
        """
        x = max_pool2d(self.conv1(x).relu(), 2)  # (B, channels[0], size // 2, size // 2)
        x = max_pool2d(self.conv2(x).relu(), 2)  # (B, channels[1], size // 4, size // 4)
        x = self.fc1(x.flatten(1)).relu()  # (B, hidden[0])
        return self.fc3(self.fc2(x).relu())


class ResidualBlock(nn.Module):
    """Two convolutions that compute what to add to their input: ReLU(x + Δ(x)).

    Δ is a 3×3 convolution with the stride, batch norm, ReLU, a 3×3 convolution, batch norm (He et
    al. 2016, figure 2 and eq. 2). Where Δ changes the shape, x passes a 1×1 convolution with the
    same stride first. No convolution has a bias: batch norm would take it away.

    Attributes:
        conv1: `Conv2d`, in_channels to out_channels, with the stride and padding 1.
        norm1: `nn.BatchNorm2d`.
        conv2: `Conv2d`, out_channels to out_channels, padding 1.
        norm2: `nn.BatchNorm2d`.
        shortcut: `Conv2d` 1×1; without parameters, None or another, if stride is 1 and the channels
            stay, or without ``residual``.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        *,
        stride: int = 1,
        residual: bool = True,
        device: torch.device | str | None = None,
    ) -> None:
        """Make the layers.

        Args:
            in_channels: channels of the input.
            out_channels: channels of the output.
            stride: of the first convolution, and of the shortcut.
            residual: without it the input is not added: a plain block, ReLU(Δ(x)).
            device: where the parameters go.
        """
        super().__init__()
        plain = {"kernel_size": 3, "padding": 1, "bias": False, "device": device}
        self.conv1 = Conv2d(in_channels, out_channels, stride=stride, **plain)
        self.norm1 = nn.BatchNorm2d(out_channels, device=device)
        self.conv2 = Conv2d(out_channels, out_channels, **plain)
        self.norm2 = nn.BatchNorm2d(out_channels, device=device)
        self.residual = residual
        self.shortcut = None
        if residual and (stride != 1 or in_channels != out_channels):
            settings = {"kernel_size": 1, "stride": stride, "bias": False, "device": device}
            self.shortcut = Conv2d(in_channels, out_channels, **settings)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Compute ReLU(x + Δ(x)).

        Args:
            x: (B, in_channels, H, W) float.

        Returns:
            (B, out_channels, rows, columns): H and W divided by the stride, rounded up.
        """
        change = self.norm1(self.conv1(x)).relu()
        change = self.norm2(self.conv2(change))
        if self.residual:
            change = change + (x if self.shortcut is None else self.shortcut(x))
        return change.relu()


class PreActivationBlock(nn.Module):
    """A residual block in which nothing stands after the sum: x + Δ(x), of any sign.

    Δ is batch norm, ReLU, a 3×3 convolution with the stride, batch norm, ReLU, a 3×3 convolution
    (He et al. 2016, "Identity Mappings in Deep Residual Networks", figure 4e). Where Δ changes the
    shape, x itself passes a 1×1 convolution with the same stride. No convolution has a bias.

    Attributes:
        norm1: `nn.BatchNorm2d` of in_channels.
        conv1: `Conv2d`, in_channels to out_channels, with the stride and padding 1.
        norm2: `nn.BatchNorm2d` of out_channels.
        conv2: `Conv2d`, out_channels to out_channels, padding 1.
        shortcut: `Conv2d` 1×1; no such layer if stride is 1 and the channels stay.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        *,
        stride: int = 1,
        device: torch.device | str | None = None,
    ) -> None:
        """Make the layers.

        Args:
            in_channels: channels of the input.
            out_channels: channels of the output.
            stride: of the first convolution, and of the shortcut.
            device: where the parameters go.
        """
        super().__init__()
        plain = {"kernel_size": 3, "padding": 1, "bias": False, "device": device}
        self.norm1 = nn.BatchNorm2d(in_channels, device=device)
        self.conv1 = Conv2d(in_channels, out_channels, stride=stride, **plain)
        self.norm2 = nn.BatchNorm2d(out_channels, device=device)
        self.conv2 = Conv2d(out_channels, out_channels, **plain)
        self.shortcut = None
        if stride != 1 or in_channels != out_channels:
            settings = {"kernel_size": 1, "stride": stride, "bias": False, "device": device}
            self.shortcut = Conv2d(in_channels, out_channels, **settings)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Compute x + Δ(x).

        Args:
            x: (B, in_channels, H, W) float.

        Returns:
            (B, out_channels, rows, columns): H and W divided by the stride, rounded up.
        """
        change = self.conv1(self.norm1(x).relu())
        change = self.conv2(self.norm2(change).relu())
        return change + (x if self.shortcut is None else self.shortcut(x))


class ConvNeXtBlock(nn.Module):
    """A residual block that looks around in each channel, then mixes the channels: x + Δ(x).

    Δ is a 7×7 convolution with a group per channel, a layer norm over the channels of each pixel
    (eps 1e-6), a dense layer to 4 · channels, GELU, a dense layer back, and a learned factor per
    channel. The dense layers are 1×1 convolutions: they do the same at every pixel (Liu et al.
    2022, figure 4).

    Attributes:
        conv: `Conv2d` 7×7 with padding 3 and a group per channel.
        norm: `nn.LayerNorm` of channels.
        widen: `nn.Linear`, channels to 4 · channels.
        narrow: `nn.Linear`, 4 · channels to channels.
        scale: parameter (channels,), ``scale`` everywhere at first.
    """

    def __init__(
        self,
        channels: int,
        *,
        scale: float = 1e-6,
        device: torch.device | str | None = None,
    ) -> None:
        """Make the layers.

        Args:
            channels: of input and output.
            scale: what Δ is multiplied by at first; small, so that a deep stack begins as the
                identity.
            device: where the parameters go.
        """
        super().__init__()
        around = {"kernel_size": 7, "padding": 3, "groups": channels, "device": device}
        self.conv = Conv2d(channels, channels, **around)
        self.norm = nn.LayerNorm(channels, eps=1e-6, device=device)
        self.widen = nn.Linear(channels, 4 * channels, device=device)
        self.narrow = nn.Linear(4 * channels, channels, device=device)
        self.scale = nn.Parameter(torch.full((channels,), scale, device=device))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Compute x + Δ(x).

        Args:
            x: (B, channels, H, W) float.

        Returns:
            The shape of ``x``.
        """
        change = self.conv(x).movedim(1, -1)  # (B, channels, H, W) -> (B, H, W, channels)
        change = self.narrow(F.gelu(self.widen(self.norm(change))))
        return x + (self.scale * change).movedim(-1, 1)


class ResNet(nn.Module):
    """A residual network: stages of blocks between one convolution and one average per channel.

    First convolution, batch norm, ReLU; then the blocks; then each map is averaged, and a dense
    layer turns the averages into scores. The first block of every stage but the first has stride 2
    (He et al. 2016, section 4.2), all others stride 1. There are 2 · blocks · len(channels) + 1
    convolutions one after another.

    Attributes:
        conv: `Conv2d`, 3×3 with padding 1 and without bias, in_channels to channels[0].
        norm: `nn.BatchNorm2d` of channels[0].
        blocks: `nn.Sequential` of `ResidualBlock`, stage after stage (`nn.ModuleList` would name
            them alike); the first block of a stage changes the channels.
        fc: `nn.Linear`, channels[-1] to classes.
    """

    def __init__(
        self,
        in_channels: int = 1,
        classes: int = 10,
        *,
        channels: Sequence[int] = (8, 16),
        blocks: int = 1,
        residual: bool = True,
        device: torch.device | str | None = None,
    ) -> None:
        """Make the layers.

        Args:
            in_channels: channels of the pictures.
            classes: scores to give.
            channels: of each stage.
            blocks: per stage.
            residual: without it all blocks are plain.
            device: where the parameters go.
        """
        super().__init__()
        first = {"kernel_size": 3, "padding": 1, "bias": False, "device": device}
        self.conv = Conv2d(in_channels, channels[0], **first)
        self.norm = nn.BatchNorm2d(channels[0], device=device)
        made, before = [], channels[0]
        for stage, after in enumerate(channels):
            for block in range(blocks):
                stride = 2 if stage > 0 and block == 0 else 1
                kind = {"stride": stride, "residual": residual, "device": device}
                made.append(ResidualBlock(before, after, **kind))
                before = after
        self.blocks = nn.Sequential(*made)
        self.fc = nn.Linear(before, classes, device=device)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Score every picture once per class.

        Args:
            x: (B, in_channels, H, W) float, of any size.

        Returns:
            (B, classes), scores.
        """
        x = self.blocks(self.norm(self.conv(x)).relu())  # (B, channels[-1], rows, columns)
        return self.fc(x.mean(dim=(2, 3)))
