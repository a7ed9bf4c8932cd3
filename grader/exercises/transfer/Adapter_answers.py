"""Right and wrong answers to `transfer.Adapter`."""

import torch
from torch import nn

from grader.author.answers import right, wrong


@right
class with_erf(nn.Module):
    def __init__(self, features, width, *, device=None):
        super().__init__()
        self.down = nn.Linear(features, width, device=device)
        self.up = nn.Linear(width, features, device=device)
        for parameter in self.up.parameters():
            parameter.data.zero_()

    def forward(self, x):
        hidden = x @ self.down.weight.T + self.down.bias
        hidden = hidden * (1 + torch.erf(hidden / 2**0.5)) / 2
        return hidden @ self.up.weight.T + (x + self.up.bias)


@right
class with_constants(nn.Module):
    def __init__(self, features, width, *, device=None):
        super().__init__()
        up = nn.Linear(width, features, device=device)
        nn.init.constant_(up.weight, 0.0)
        nn.init.constant_(up.bias, 0.0)
        self.up, self.down = up, nn.Linear(features, width, device=device)
        self.bend = nn.GELU()

    def forward(self, x):
        detour = self.up(self.bend(self.down(x)))
        return torch.add(x, detour)


wrong(
    "no_residual",
    why=(
        "What came in is not added: at the start, with the upper layer at 0, everything that the "
        "frozen model knows would be gone."
    ),
    change={"return x + self.up(": "return self.up("},
)


wrong(
    "starts_with_noise",
    why=(
        "The upper layer starts as `nn.Linear` draws it: from the first step on the frozen "
        "model is disturbed."
    ),
    change={"        nn.init.zeros_(self.up.weight)\n        nn.init.zeros_(self.up.bias)\n": ""},
)


wrong(
    "bias_left",
    why="The upper layer's bias was left as drawn: the adapter changes its input at the start.",
    change={"        nn.init.zeros_(self.up.bias)\n": ""},
)


wrong(
    "both_zero",
    why=(
        "Both layers start at 0. Then the upper one gets no gradient, for its input is 0, and the "
        "lower one none, for what it feeds is multiplied by 0: neither ever moves."
    ),
    change={
        "        nn.init.zeros_(self.up.weight)\n": (
            "        nn.init.zeros_(self.up.weight)\n"
            "        nn.init.zeros_(self.down.weight)\n"
            "        nn.init.zeros_(self.down.bias)\n"
        )
    },
)


wrong(
    "lower_zero",
    why=(
        "The lower layer starts at 0 in place of the upper one: nothing changes at first, but "
        "all its units are alike and stay so."
    ),
    change={
        "        nn.init.zeros_(self.up.weight)\n        nn.init.zeros_(self.up.bias)\n": (
            "        nn.init.zeros_(self.down.weight)\n        nn.init.zeros_(self.down.bias)\n"
            "        nn.init.zeros_(self.up.bias)\n"
        )
    },
)


wrong(
    "no_bend",
    why=(
        "Without the GELU the two layers are one linear map of low rank; that is LoRA's idea, "
        "not the adapter's."
    ),
    change={"F.gelu(self.down(x))": "self.down(x)"},
)


wrong(
    "tanh_gelu",
    why="The GELU is the approximation by tanh; the exact one is asked for.",
    change={"F.gelu(self.down(x))": 'F.gelu(self.down(x), approximate="tanh")'},
)


wrong(
    "relu",
    why="This is ReLU; the exact GELU is asked for.",
    change={"F.gelu(": "F.relu("},
)
