"""Right and wrong answers to `mlp.SwiGLU`."""

import torch
from torch import nn
from torch.nn import functional as F

from grader.author.answers import right, wrong


@right
class functional_silu(nn.Module):
    def __init__(self, features, hidden, *, outputs=None, device=None):
        super().__init__()
        settings = {"bias": False, "device": device}
        self.down = nn.Linear(hidden, outputs or features, **settings)
        self.up = nn.Linear(features, hidden, **settings)
        self.gate = nn.Linear(features, hidden, **settings)

    def forward(self, x):
        return self.down(F.silu(self.gate(x)) * self.up(x))


@right
class one_product_for_both(nn.Module):
    def __init__(self, features, hidden, *, outputs=None, device=None):
        super().__init__()
        self.gate, self.up = (nn.Linear(features, hidden, False, device) for _ in range(2))
        self.down = nn.Linear(hidden, features if outputs is None else outputs, False, device)

    def forward(self, x):
        both = x @ torch.cat([self.gate.weight, self.up.weight]).T
        gate, up = both.tensor_split(2, dim=-1)
        return torch.einsum("oh,...h->...o", self.down.weight, gate * torch.sigmoid(gate) * up)


wrong(
    "gate_and_up_swapped",
    why="silu was applied to W_up x; it belongs to the gate.",
    change={"gate = self.gate(x)": "gate = self.up(x)", "self.up(x))": "self.gate(x))"},
)


wrong(
    "sigmoid_for_silu",
    why="The gate is σ(a) here, which is the GLU; the silu is a σ(a).",
    change={"gate * sigmoid(gate)": "sigmoid(gate)"},
)


wrong(
    "no_gate",
    why="silu(W_gate x) went into the last layer alone; multiply it by W_up x first.",
    change={" * self.up(x))": ")"},
)


wrong(
    "both_sides_activated",
    why="W_up x went through silu too; it stays linear.",
    change={"* self.up(x))": "* self.up(x) * sigmoid(self.up(x)))"},
)


wrong(
    "with_biases",
    why="The layers have biases, which the docstring does not list.",
    change={
        "self.gate = nn.Linear(features, hidden, bias=False": (
            "self.gate = nn.Linear(features, hidden, bias=True"
        )
    },
)


wrong(
    "outputs_ignored",
    why="The argument `outputs` is not used: the output has as many numbers as the input.",
    change={"outputs = features if outputs is None else outputs": "outputs = features"},
)


wrong(
    "device_ignored",
    why="The argument `device` was not passed on to every layer.",
    change={
        "self.gate = nn.Linear(features, hidden, bias=False, device=device)": (
            "self.gate = nn.Linear(features, hidden, bias=False)"
        )
    },
    corner=True,
)


@wrong(
    why=(
        "`gate` and `up` are the same tensor: every unit is multiplied by its own silu, and half "
        "of the parameters are missing."
    )
)
class one_matrix_for_both(nn.Module):
    def __init__(self, features, hidden, *, outputs=None, device=None):
        super().__init__()
        outputs = features if outputs is None else outputs
        self.gate = nn.Linear(features, hidden, bias=False, device=device)
        self.up = nn.Linear(features, hidden, bias=False, device=device)
        self.up.weight = self.gate.weight
        self.down = nn.Linear(hidden, outputs, bias=False, device=device)

    def forward(self, x):
        return self.down(F.silu(self.gate(x)) * self.up(x))


wrong(
    "up_starts_as_the_gate",
    why=(
        "`up` starts as a copy of `gate`: every unit begins as its own silu times itself. Each "
        "layer draws numbers of its own."
    ),
    change={
        "self.up = nn.Linear(features, hidden, bias=False, device=device)": (
            "self.up = nn.Linear(features, hidden, bias=False, device=device)\n"
            "        self.up.load_state_dict(self.gate.state_dict())"
        )
    },
    corner=True,
)
