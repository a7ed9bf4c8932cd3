"""Right and wrong answers to `convolution.ConvNeXtBlock`."""

import torch
import torch.nn.functional as F
from torch import nn

from grader.author.answers import right, wrong


@right
class layers_of_torch(nn.Module):
    def __init__(self, channels, *, scale=1e-6, device=None):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 7, padding=3, groups=channels, device=device)
        self.norm = nn.LayerNorm(channels, 1e-6, device=device)
        self.widen = nn.Linear(channels, 4 * channels, device=device)
        self.narrow = nn.Linear(4 * channels, channels, device=device)
        self.scale = nn.Parameter(scale * torch.ones(channels, device=device))

    def forward(self, x):
        y = self.norm(self.conv(x).permute(0, 2, 3, 1))
        y = self.scale * self.narrow(F.gelu(self.widen(y)))
        return y.permute(0, 3, 1, 2) + x


@right
class dense_layers_as_convolutions(nn.Module):
    def __init__(self, channels, *, scale=1e-6, device=None):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 7, padding=3, groups=channels, device=device)
        self.norm = nn.LayerNorm(channels, eps=1e-6, device=device)
        self.widen = nn.Linear(channels, 4 * channels, device=device)
        self.narrow = nn.Linear(4 * channels, channels, device=device)
        self.scale = nn.Parameter(torch.full([channels], float(scale), device=device))

    def forward(self, x):
        y = self.conv(x)
        mean, square = y.mean(1, keepdim=True), y.var(1, keepdim=True, unbiased=False)
        y = (y - mean) / (square + 1e-6).sqrt()
        y = y * self.norm.weight.view(-1, 1, 1) + self.norm.bias.view(-1, 1, 1)
        y = F.conv2d(y, self.widen.weight[..., None, None], self.widen.bias)
        y = F.conv2d(F.gelu(y), self.narrow.weight[..., None, None], self.narrow.bias)
        return torch.addcmul(x, y, self.scale.view(-1, 1, 1))


wrong(
    "scale_forgotten",
    why="The learned factor per channel is there and not used.",
    change={"(self.scale * change)": "change"},
)


wrong(
    "input_never_added",
    why="The input is not added.",
    change={"return x + (self": "return (self"},
)


wrong(
    "relu_for_gelu",
    why="The activation of this block is GELU; you took ReLU.",
    change={"F.gelu(": "F.relu("},
)


wrong(
    "gelu_by_tanh",
    why="You took the approximation of GELU by a tanh; the exact one is `F.gelu` as it comes.",
    change={
        "F.gelu(self.widen(self.norm(change)))": (
            'F.gelu(self.widen(self.norm(change)), approximate="tanh")'
        )
    },
)


wrong(
    "no_norm",
    why="The layer norm is made and not used.",
    change={"self.widen(self.norm(change))": "self.widen(change)"},
)


wrong(
    "norm_before_looking_around",
    why="The norm stands after the convolution, not before it.",
    change={
        "self.conv(x).movedim(1, -1)": "self.conv(self.norm(x.movedim(1, -1)).movedim(-1, 1))"
        ".movedim(1, -1)",
        "self.widen(self.norm(change))": "self.widen(change)",
    },
)


wrong(
    "norm_over_the_whole_picture",
    why="The norm takes mean and variance over the channels of one pixel, not over the picture.",
    change={
        "self.widen(self.norm(change))": (
            "self.widen(self.norm.weight * F.layer_norm(change, change.shape[1:], eps=1e-6)"
            " + self.norm.bias)"
        )
    },
)


wrong(
    "usual_eps",
    why="The norm has eps 1e-6 here; you left the 1e-5 that `nn.LayerNorm` takes.",
    change={"eps=1e-6, ": ""},
)


wrong(
    "second_activation",
    why="One activation stands between the dense layers; you put another after the second.",
    change={"return x + (self.scale * change)": "return x + (self.scale * F.gelu(change))"},
)


wrong(
    "channels_mixed_at_once",
    why="Each channel looks around by itself: the 7×7 convolution has a group per channel.",
    change={'"padding": 3, "groups": channels,': '"padding": 3,'},
)


wrong(
    "twice_as_wide",
    why="Between the two dense layers there are 4 · channels features.",
    change={
        "nn.Linear(channels, 4 * channels": "nn.Linear(channels, 2 * channels",
        "nn.Linear(4 * channels, channels": "nn.Linear(2 * channels, channels",
    },
)


wrong(
    "scale_of_one",
    why="`scale` is where the factors start, 1e-6 unless told otherwise; yours start at 1.",
    change={"torch.full((channels,), scale, device=device)": "torch.ones(channels, device=device)"},
    corner=True,
)


wrong(
    "scale_not_learned",
    why="The factors are learned; a plain tensor is no parameter, is not trained and not saved.",
    change={
        "nn.Parameter(torch.full((channels,), scale, device=device))": (
            "torch.full((channels,), scale, device=device)"
        )
    },
)
