"""Right and wrong answers to `mlp.MLP`."""

from itertools import pairwise

from torch import nn
from torch.nn import functional as F

from grader.author.answers import right, wrong
from solutions.mlp import activate


@right
class appended_in_a_loop(nn.Module):
    def __init__(self, sizes, *, activation="relu", device=None):
        super().__init__()
        self.layers = nn.ModuleList()
        for index in range(len(sizes) - 1):
            self.layers.append(nn.Linear(sizes[index], sizes[index + 1], device=device))
        self.act = activation

    def forward(self, x):
        for index, layer in enumerate(self.layers):
            if index > 0:
                x = activate(x, self.act)
            x = layer(x)
        return x


@right
class sequential_with_functional_linear(nn.Module):
    def __init__(self, sizes, *, activation="relu", device=None):
        super().__init__()
        self.layers = nn.Sequential(
            *(nn.Linear(a, b, device=device) for a, b in zip(sizes, sizes[1:]))
        )
        self.sigma = {"relu": nn.ReLU(), "tanh": nn.Tanh(), "sigmoid": nn.Sigmoid()}.get(
            activation, nn.Identity()
        )

    def forward(self, x):
        *hidden, last = self.layers
        for layer in hidden:
            x = self.sigma(F.linear(x, layer.weight, layer.bias))
        return x @ last.weight.T + last.bias


@wrong(
    why=(
        "The layers are in a Python list, where a module does not look: it has no parameters, an "
        "optimizer would find nothing to train, and no error would be raised."
    )
)
class layers_in_a_list(nn.Module):
    def __init__(self, sizes, *, activation="relu", device=None):
        super().__init__()
        self.layers = [nn.Linear(d_in, d_out, device=device) for d_in, d_out in pairwise(sizes)]
        self.activation = activation

    def forward(self, x):
        for layer in self.layers[:-1]:
            x = activate(layer(x), self.activation)
        return self.layers[-1](x)


wrong(
    "activation_on_the_scores",
    why=(
        "The scores went through the activation as well; scores must be free "
        "to be negative, and the loss contains its own softmax."
    ),
    change={"return self.layers[-1](x)": "return activate(self.layers[-1](x), self.activation)"},
)


wrong(
    "no_activation",
    why=("No activation between the layers: this network is a linear model with extra parameters."),
    change={"activate(layer(x), self.activation)": "layer(x)"},
)


wrong(
    "always_relu",
    why="The argument `activation` has no effect: every hidden layer is followed by a ReLU.",
    change={"activate(layer(x), self.activation)": "relu(layer(x))"},
)


wrong(
    "no_bias",
    why="The layers were made without biases, which the docstring lists.",
    change={
        "nn.Linear(d_in, d_out, device=device)": (
            "nn.Linear(d_in, d_out, bias=False, device=device)"
        )
    },
)


wrong(
    "softmax_at_the_end",
    why=(
        "The module returns probabilities; the loss takes scores, and a second "
        "softmax inside it would flatten the first."
    ),
    change={"return self.layers[-1](x)": "return self.layers[-1](x).softmax(dim=-1)"},
)


@wrong(
    why=(
        "The activations are in the list as well, so the linear layers are numbered 0, 2, 4; the "
        "docstring numbers them 0, 1, 2, and the activation belongs in `forward`."
    )
)
class activations_among_the_layers(nn.Module):
    def __init__(self, sizes, *, activation="relu", device=None):
        super().__init__()
        layers = []
        for d_in, d_out in pairwise(sizes):
            layers += [nn.Linear(d_in, d_out, device=device), nn.ReLU()]
        self.layers = nn.Sequential(*layers[:-1])

    def forward(self, x):
        return self.layers(x)


wrong(
    "no_super_init",
    why=(
        "`super().__init__()` is missing; it creates the tables in which a module keeps its "
        "parameters and submodules."
    ),
    change={"super().__init__()": "pass"},
)


wrong(
    "device_ignored",
    why="The argument `device` was not passed on to the layers.",
    change={"nn.Linear(d_in, d_out, device=device)": "nn.Linear(d_in, d_out)"},
    corner=True,
)


@wrong(
    why=(
        "All parameters were set to zero at the start: all hidden units are then equal, get "
        "equal gradients and stay equal."
    ),
    corner=True,
)
class zeros_at_the_start(nn.Module):
    def __init__(self, sizes, *, activation="relu", device=None):
        super().__init__()
        self.layers = nn.ModuleList(
            nn.Linear(d_in, d_out, device=device) for d_in, d_out in pairwise(sizes)
        )
        self.activation = activation
        for parameter in self.parameters():
            nn.init.zeros_(parameter)

    def forward(self, x):
        for layer in self.layers[:-1]:
            x = activate(layer(x), self.activation)
        return self.layers[-1](x)


wrong(
    "seed_fixed_inside",
    why=(
        "A seed is set in the constructor: every network starts from the same numbers, and the "
        "caller's own seed is overwritten."
    ),
    change={"super().__init__()": "super().__init__(); torch.manual_seed(0)"},
    corner=True,
)


wrong(
    "dropout_in_training_mode",
    why="Outputs of hidden layers were dropped at random; the docstring lists no dropout.",
    change={
        "x = activate(layer(x), self.activation)": (
            "x = F.dropout(activate(layer(x), self.activation), 0.5, self.training)"
        )
    },
)


wrong(
    "input_flattened",
    why=(
        "The leading axes were flattened into one; the docstring keeps them: (..., d_0) becomes "
        "(..., d_N)."
    ),
    change={
        "return self.layers[-1](x)": (
            "x = self.layers[-1](x); return x.reshape(-1, x.shape[-1]) if x.dim() > 1 else x"
        )
    },
    corner=True,
)
