"""Right and wrong answers to `convolution.ResidualBlock`."""

import torch.nn.functional as F
from torch import nn

from grader.author.answers import right, wrong
from solutions.convolution import Conv2d


@right
class layers_of_torch(nn.Module):
    def __init__(self, in_channels, out_channels, *, stride=1, residual=True, device=None):
        super().__init__()
        self.conv1 = nn.Conv2d(in_channels, out_channels, 3, stride, 1, bias=False, device=device)
        self.norm1 = nn.BatchNorm2d(out_channels, device=device)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, 1, 1, bias=False, device=device)
        self.norm2 = nn.BatchNorm2d(out_channels, device=device)
        self.residual = residual
        if residual:
            same = stride == 1 and in_channels == out_channels
            self.shortcut = (
                nn.Identity()
                if same
                else nn.Conv2d(in_channels, out_channels, 1, stride, bias=False, device=device)
            )

    def forward(self, x):
        y = F.relu(self.norm1(self.conv1(x)))
        y = self.norm2(self.conv2(y))
        return F.relu(self.shortcut(x) + y) if self.residual else F.relu(y)


@right
class pixels_first_then_channels(nn.Module):
    def __init__(self, in_channels, out_channels, *, stride=1, residual=True, device=None):
        super().__init__()
        sizes = {"padding": 1, "kernel_size": 3, "bias": False, "device": device}
        self.conv1 = Conv2d(in_channels, out_channels, stride=stride, **sizes)
        self.norm1 = nn.BatchNorm2d(out_channels, device=device)
        self.conv2 = Conv2d(out_channels, out_channels, **sizes)
        self.norm2 = nn.BatchNorm2d(out_channels, device=device)
        self.stride, self.residual = stride, residual
        self.shortcut = None
        if residual and (stride > 1 or in_channels != out_channels):
            self.shortcut = Conv2d(
                in_channels, out_channels, kernel_size=1, bias=False, device=device
            )

    def forward(self, x):
        y = self.norm2(self.conv2(self.norm1(self.conv1(x)).clamp(min=0)))
        if self.shortcut is not None:  # take the pixels first, then mix the channels
            y = y + self.shortcut(x[:, :, :: self.stride, :: self.stride])
        elif self.residual:
            y = y + x
        return y.clamp(min=0)


wrong(
    "added_after_the_relu",
    why=(
        "The ReLU was applied to f(x) before the sum, so the block can only "
        "ever add and never take away."
    ),
    change={
        "change = self.norm2(self.conv2(change))": (
            "change = self.norm2(self.conv2(change)).relu()"
        ),
        "return change.relu()": "return change",
    },
)


wrong(
    "no_last_relu",
    why="The ReLU after the sum is missing.",
    change={"return change.relu()": "return change"},
)


wrong(
    "no_relu_inside",
    why="Without a ReLU between them the two convolutions are one linear map.",
    change={"self.norm1(self.conv1(x)).relu()": "self.norm1(self.conv1(x))"},
)


wrong(
    "input_never_added",
    why=("The input is not added: the block is plain, and a deep stack of those trains badly."),
    change={"change = change + (x if self.shortcut is None else self.shortcut(x))": "pass"},
)


wrong(
    "stride_in_the_second_convolution",
    why=(
        "The stride belongs to the first convolution; the shapes are the same "
        "with it in the second, the numbers are not."
    ),
    change={
        "Conv2d(in_channels, out_channels, stride=stride, **plain)": (
            "Conv2d(in_channels, out_channels, **plain)"
        ),
        "Conv2d(out_channels, out_channels, **plain)": (
            "Conv2d(out_channels, out_channels, stride=stride, **plain)"
        ),
    },
)


wrong(
    "activation_added",
    why=(
        "What is added is x itself; you added what the first convolution made "
        "of it, so there is no way around that layer."
    ),
    change={
        "change = self.norm2(self.conv2(change))": (
            "first, change = change, self.norm2(self.conv2(change))"
        ),
        "(x if self.shortcut is None": "(first if self.shortcut is None",
    },
)


wrong(
    "shortcut_always",
    why=("A block that keeps the shape has no shortcut layer: its input passes unchanged."),
    change={"if residual and (stride != 1 or in_channels != out_channels):": "if residual:"},
)


wrong(
    "shortcut_for_channels_alone",
    why=("A stride changes the shape as well, so a shortcut is needed even if the channels stay."),
    change={"(stride != 1 or in_channels != out_channels)": "in_channels != out_channels"},
)


wrong(
    "shortcut_without_stride",
    why=(
        "The shortcut needs the stride of the first convolution, or the two "
        "pictures differ in size and cannot be added."
    ),
    change={'"kernel_size": 1, "stride": stride,': '"kernel_size": 1,'},
)


wrong(
    "sum_normalized",
    why=(
        "The second batch norm is a part of f; you added first and normalized "
        "the sum, so the input no longer passes unchanged."
    ),
    change={
        "change = self.norm2(self.conv2(change))": "change = self.conv2(change)",
        "return change.relu()": "return self.norm2(change).relu()",
    },
)


wrong(
    "one_norm_for_both",
    why="Both convolutions share one batch norm; the second has one of its own.",
    change={"self.norm2(self.conv2": "self.norm1(self.conv2"},
)


wrong(
    "plain_only_without_a_shortcut",
    why=(
        "`residual=False` took away the shortcut layer and nothing else: where the shape stays, "
        "the input is still added."
    ),
    change={
        "if self.residual:": "if self.shortcut is not None or x.shape == change.shape:",
    },
)
