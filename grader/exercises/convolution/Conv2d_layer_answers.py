"""Right and wrong answers to `convolution.Conv2d`."""

import torch
from torch import nn

from grader.author.answers import right, wrong
from solutions.convolution import conv2d, output_size, unfold


@right
class bias_added_outside(nn.Module):
    def __init__(
        self,
        in_channels,
        out_channels,
        *,
        kernel_size,
        stride=1,
        padding=0,
        dilation=1,
        groups=1,
        bias=True,
        device=None,
    ):
        super().__init__()
        self.stride, self.padding = stride, padding
        self.dilation, self.groups = dilation, groups
        size = (out_channels, in_channels // groups, kernel_size, kernel_size)
        bound = (in_channels // groups * kernel_size**2) ** -0.5
        self.weight = nn.Parameter(bound * (2 * torch.rand(size, device=device) - 1))
        if bias:
            drawn = torch.rand(out_channels, device=device)
            self.bias = nn.Parameter(bound * (2 * drawn - 1))
        else:
            self.register_parameter("bias", None)

    def forward(self, x):
        y = conv2d(
            x,
            self.weight,
            stride=self.stride,
            padding=self.padding,
            dilation=self.dilation,
            groups=self.groups,
        )
        return y if self.bias is None else y + self.bias.view(-1, 1, 1)


@right
class group_after_group(nn.Module):
    def __init__(
        self, in_channels, out_channels, *, kernel_size, bias=True, groups=1, device=None, **steps
    ):
        super().__init__()
        self.kernel_size, self.groups, self.steps = kernel_size, groups, steps
        size = (out_channels, in_channels // groups, kernel_size, kernel_size)
        self.weight = nn.Parameter(torch.empty(size, device=device))
        nn.init.kaiming_uniform_(self.weight, 5**0.5)
        start = torch.empty(out_channels, device=device)
        nn.init.uniform_(start, -(self.weight[0].numel() ** -0.5), self.weight[0].numel() ** -0.5)
        self.bias = nn.Parameter(start) if bias else None

    def forward(self, x):
        k = self.kernel_size
        parts = [
            torch.einsum("bpl,fp->bfl", unfold(part, (k, k), **self.steps), w.flatten(1))
            for part, w in zip(
                x.chunk(self.groups, 1), self.weight.chunk(self.groups, 0), strict=True
            )
        ]
        y = torch.cat(parts, dim=1)
        if self.bias is not None:
            y = y + self.bias[:, None]
        rows = output_size(x.shape[2], k, **self.steps)
        return y.reshape(len(x), -1, rows, y.shape[2] // rows)


wrong(
    "channels_swapped",
    why=(
        "Filters come first in the weight, (out_channels, in_channels / "
        "groups, ...), as in `nn.Conv2d`; the other way round no saved "
        "parameters fit."
    ),
    change={
        "shape = out_channels, in_channels // groups,": (
            "shape = in_channels // groups, out_channels,"
        )
    },
)


wrong(
    "full_depth_with_groups",
    why=(
        "With groups each filter sees in_channels / groups channels, and its "
        "weight has no more than that."
    ),
    change={"in_channels // groups": "in_channels"},
)


wrong(
    "settings_forgotten",
    why=("Stride, padding and dilation were taken in the constructor and never used."),
    change={", **self.steps": ""},
)


wrong(
    "bias_always",
    why="`bias=False` was not heeded: there is a bias all the same.",
    change={"_parameters(shape, bias, device)": "_parameters(shape, True, device)"},
)


wrong(
    "bias_not_used",
    why="The bias is there but `forward` does not add it, so it never learns.",
    change={"self.weight, self.bias, groups": "self.weight, groups"},
)


wrong(
    "bias_per_kernel",
    why=(
        "The bias was given axes of length 1 so that it broadcasts; as a "
        "parameter it is (out_channels,), or no saved parameters fit."
    ),
    change={
        "self.weight, self.bias = _parameters(shape, bias, device)": (
            "self.weight, self.bias = _parameters(shape, bias, device)\n"
            "        if bias:\n"
            "            self.bias = nn.Parameter(self.bias.data[:, None, None])"
        ),
        "self.weight, self.bias, groups": (
            "self.weight, None if self.bias is None else self.bias.flatten(), groups"
        ),
    },
)


wrong(
    "spread_of_all_channels",
    why=(
        "With groups, channels / groups · kernel_size² inputs go into one output; you counted all "
        "channels, and the parameters start too small."
    ),
    change={
        "self.weight, self.bias = _parameters(shape, bias, device)": (
            "self.weight, self.bias = _parameters(shape, bias, device)\n"
            "        with torch.no_grad():\n"
            "            for parameter in self.parameters():\n"
            "                parameter /= math.sqrt(groups)"
        )
    },
    corner=True,
)


wrong(
    "zeros_at_first",
    why="The parameters start at zero: all filters are then alike, and remain so.",
    change={
        "self.weight, self.bias = _parameters(shape, bias, device)": (
            "self.weight, self.bias = _parameters(shape, bias, device)\n"
            "        with torch.no_grad():\n"
            "            for parameter in self.parameters():\n"
            "                parameter *= 0"
        )
    },
    corner=True,
)
