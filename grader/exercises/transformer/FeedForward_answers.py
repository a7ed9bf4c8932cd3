"""Right and wrong answers to `transformer.FeedForward`."""

import torch
from torch import nn
from torch.nn import functional as F

from grader.author.answers import right, wrong


@right
class with_a_table(nn.Module):
    def __init__(self, features, hidden, *, activation="relu", bias=True, device=None):
        super().__init__()
        bends = {"relu": F.relu, "gelu": F.gelu, "relu2": lambda a: a * a * (a > 0)}
        if activation not in bends:
            raise ValueError(activation)
        self.bend = bends[activation]
        self.up = nn.Linear(features, hidden, bias, device)
        self.down = nn.Linear(hidden, features, bias, device)

    def forward(self, x):
        return self.down(self.bend(self.up(x)))


@right
class with_formulas(nn.Module):
    def __init__(self, features, hidden, *, activation="relu", bias=True, device=None):
        super().__init__()
        if activation not in ["gelu", "relu2", "relu"]:
            raise ValueError("no such activation")
        self.down = nn.Linear(hidden, features, bias=bias, device=device)
        self.up = nn.Linear(features, hidden, bias=bias, device=device)
        self.kind = activation

    def forward(self, x):
        a = x @ self.up.weight.T
        a = a if self.up.bias is None else a + self.up.bias
        if self.kind == "gelu":
            a = a * (1 + torch.erf(a / 2**0.5)) / 2
        else:
            a = a.clamp(min=0) ** (2 if self.kind == "relu2" else 1)
        a = a @ self.down.weight.T
        return a if self.down.bias is None else a + self.down.bias


wrong(
    "no_activation",
    why="Two linear layers without an activation between them are one linear layer.",
    change={
        'F.gelu(hidden) if self.activation == "gelu" else F.relu(hidden)': "hidden",
    },
)


wrong(
    "activation_at_the_end",
    why=(
        "The activation stands between the layers, not after them: the output is added to the "
        "residual stream and may be negative."
    ),
    change={
        'return self.down(hidden.square() if self.activation == "relu2" else hidden)': (
            'return F.relu(self.down(hidden.square() if self.activation == "relu2" else hidden))'
        )
    },
)


wrong(
    "input_added",
    why="You added the input; the residual connection belongs to the layer around this network.",
    change={"return self.down(": "return x + self.down("},
)


wrong(
    "gelu_approximated",
    why="You used the tanh approximation of GELU; use the exact function.",
    change={"F.gelu(hidden)": 'F.gelu(hidden, approximate="tanh")'},
)


wrong(
    "squared_with_its_sign",
    why=(
        "You squared before cutting at 0, so negative numbers come back as positive ones. Apply "
        "ReLU first, then square."
    ),
    change={
        'F.gelu(hidden) if self.activation == "gelu" else F.relu(hidden)': (
            'F.gelu(hidden) if self.activation == "gelu" else '
            'F.relu(hidden) if self.activation == "relu" else hidden'
        )
    },
)


wrong(
    "always_relu",
    why="You always use ReLU, whatever activation is asked for.",
    change={
        'F.gelu(hidden) if self.activation == "gelu" else F.relu(hidden)': "F.relu(hidden)",
        'hidden.square() if self.activation == "relu2" else hidden': "hidden",
    },
)


wrong(
    "bias_not_asked_for",
    why="`nn.Linear` has a bias by default; pass on `bias`.",
    change={
        "self.up = nn.Linear(features, hidden, bias=bias, device=device)": (
            "self.up = nn.Linear(features, hidden, device=device)"
        ),
        "self.down = nn.Linear(hidden, features, bias=bias, device=device)": (
            "self.down = nn.Linear(hidden, features, device=device)"
        ),
    },
)


wrong(
    "unknown_activation_accepted",
    why="The constructor accepted an unknown activation; it must raise a ValueError.",
    change={'if activation not in ("relu", "gelu", "relu2"):': "if not activation:"},
    corner=True,
)
