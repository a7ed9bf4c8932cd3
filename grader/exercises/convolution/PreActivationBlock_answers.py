"""Right and wrong answers to `convolution.PreActivationBlock`."""

import torch.nn.functional as F
from torch import nn

from grader.author.answers import right, wrong
from solutions.convolution import Conv2d


@right
class layers_of_torch(nn.Module):
    def __init__(self, in_channels, out_channels, *, stride=1, device=None):
        super().__init__()
        self.norm1 = nn.BatchNorm2d(in_channels, device=device)
        self.conv1 = nn.Conv2d(in_channels, out_channels, 3, stride, 1, bias=False, device=device)
        self.norm2 = nn.BatchNorm2d(out_channels, device=device)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False, device=device)
        same = stride == 1 and in_channels == out_channels
        self.shortcut = (
            nn.Identity()
            if same
            else nn.Conv2d(in_channels, out_channels, 1, stride, bias=False, device=device)
        )

    def forward(self, x):
        y = self.conv1(F.relu(self.norm1(x)))
        y = self.conv2(F.relu(self.norm2(y)))
        return self.shortcut(x) + y


@right
class pixels_first_then_channels(nn.Module):
    def __init__(self, in_channels, out_channels, *, stride=1, device=None):
        super().__init__()
        sizes = {"padding": 1, "kernel_size": 3, "bias": False, "device": device}
        self.norm1 = nn.BatchNorm2d(in_channels, device=device)
        self.conv1 = Conv2d(in_channels, out_channels, stride=stride, **sizes)
        self.norm2 = nn.BatchNorm2d(out_channels, device=device)
        self.conv2 = Conv2d(out_channels, out_channels, **sizes)
        self.stride, self.shortcut = stride, None
        if (stride, in_channels) != (1, out_channels):
            self.shortcut = Conv2d(
                in_channels, out_channels, kernel_size=1, bias=False, device=device
            )

    def forward(self, x):
        way = x[:, :, :: self.stride, :: self.stride]
        way = way if self.shortcut is None else self.shortcut(way)
        for norm, conv in ((self.norm1, self.conv1), (self.norm2, self.conv2)):
            x = conv(norm(x).clamp(min=0))
        return x + way


wrong(
    "relu_after_the_sum",
    why="Nothing stands after the sum: with a ReLU there, negative numbers do not pass the block.",
    change={
        "return change + (x if self.shortcut is None else self.shortcut(x))": (
            "return (change + (x if self.shortcut is None else self.shortcut(x))).relu()"
        )
    },
)


wrong(
    "activation_added",
    why=(
        "x itself is added; you added its normalized and rectified version, so nothing "
        "passes the block unchanged."
    ),
    change={
        "change = self.conv1(self.norm1(x).relu())": (
            "x = self.norm1(x).relu()\n        change = self.conv1(x)"
        )
    },
)


wrong(
    "no_first_relu",
    why="The first ReLU, between the first norm and the first convolution, is missing.",
    change={"self.norm1(x).relu()": "self.norm1(x)"},
)


wrong(
    "no_second_relu",
    why="Without the second ReLU the convolutions and the norm between them are one linear map.",
    change={"self.norm2(change).relu()": "self.norm2(change)"},
)


wrong(
    "relu_before_the_norm",
    why="The ReLU stands after the norm; before it, half of what the norm sees is zero.",
    change={
        "self.norm1(x).relu()": "self.norm1(x.relu())",
        "self.norm2(change).relu()": "self.norm2(change.relu())",
    },
)


wrong(
    "input_never_added",
    why="The input is not added: the block is plain, and a deep stack of those trains badly.",
    change={"return change + (x if self.shortcut is None else self.shortcut(x))": "return change"},
)


wrong(
    "stride_in_the_second_convolution",
    why=(
        "The stride belongs to the first convolution; the shapes are the same with it in the "
        "second, the numbers are not."
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
    "shortcut_always",
    why="A block that keeps the shape has no shortcut layer: its input passes unchanged.",
    change={"if stride != 1 or in_channels != out_channels:": "if True:"},
)


wrong(
    "shortcut_for_channels_alone",
    why="A stride changes the shape as well, so a shortcut is needed even if the channels stay.",
    change={"if stride != 1 or in_channels != out_channels:": "if in_channels != out_channels:"},
)


wrong(
    "norm_of_the_output_size",
    why=(
        "The first norm stands before the first convolution, so it has as many channels as the "
        "input, not as the output."
    ),
    change={"nn.BatchNorm2d(in_channels": "nn.BatchNorm2d(out_channels"},
)


wrong(
    "biases",
    why="No convolution of this block has a bias; hand on `bias=False`.",
    change={'"padding": 1, "bias": False,': '"padding": 1,'},
)
