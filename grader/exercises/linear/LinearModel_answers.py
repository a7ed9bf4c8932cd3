"""Right and wrong answers to `linear.LinearModel`."""

import torch
from torch import nn

from grader.author.answers import right, wrong


@right
class parameters_registered_by_name(nn.Module):
    def __init__(self, in_features, out_features, *, device=None):
        super().__init__()
        start = torch.zeros(out_features, in_features + 1, device=device)
        self.register_parameter("weight", nn.Parameter(start[:, 1:].clone()))
        self.register_parameter("bias", nn.Parameter(start[:, 0].clone()))

    def forward(self, x):
        return torch.einsum("ci,...i->...c", self.weight, x) + self.bias


@right
class filled_in_afterwards(nn.Module):
    def __init__(self, in_features, out_features, *, device=None):
        super().__init__()
        self.bias = nn.Parameter(torch.empty(out_features, device=device))
        self.weight = nn.Parameter(torch.empty(out_features, in_features, device=device))
        for parameter in self.parameters():
            nn.init.zeros_(parameter)

    def forward(self, x):
        flat = x.reshape(-1, x.shape[-1])
        scores = torch.addmm(self.bias, flat, self.weight.t())
        return scores.reshape(*x.shape[:-1], len(self.bias))


wrong(
    "plain_tensors",
    why=(
        "A tensor in an attribute is not a parameter: `parameters()` does not list it, no "
        "optimizer moves it, and `state_dict()` does not save it. Wrap it in `nn.Parameter`."
    ),
    change={
        "nn.Parameter(torch.zeros(out_features, in_features, device=device))": (
            "torch.zeros(out_features, in_features, requires_grad=True).double()"
        ),
        "nn.Parameter(torch.zeros(out_features, device=device))": (
            "torch.zeros(out_features, requires_grad=True).double()"
        ),
    },
)


wrong(
    "buffers",
    why=(
        "A buffer is saved with the module but not trained: it is for numbers "
        "that belong to the model and get no gradient."
    ),
    change={
        "self.weight = nn.Parameter(": 'self.register_buffer("weight", (',
        "self.bias = nn.Parameter(": 'self.register_buffer("bias", (',
        "in_features, device=device))": "in_features, device=device)))",
        "zeros(out_features, device=device))": "zeros(out_features, device=device)))",
    },
)


wrong(
    "weight_in_times_out",
    why=(
        "The weight is (out_features, in_features), one row per output, as in `nn.Linear`; with "
        "the axes swapped, saved parameters do not fit."
    ),
    change={
        "torch.zeros(out_features, in_features, device=device)": (
            "torch.zeros(in_features, out_features, device=device)"
        ),
        "self.weight, self.bias": "self.weight.T, self.bias",
    },
)


wrong(
    "bias_as_a_row",
    why=(
        "The bias is (1, out_features): batches work by broadcasting, but a single input gets an "
        "extra axis, and the parameters of a saved `nn.Linear` do not fit."
    ),
    change={
        "torch.zeros(out_features, device=device)": ("torch.zeros(1, out_features, device=device)")
    },
)


wrong(
    "softmax_in_the_model",
    why=(
        "`forward` returns scores; the loss contains the softmax, and applying "
        "it twice flattens the gradient."
    ),
    change={
        "return linear(x, self.weight, self.bias)": (
            "return torch.softmax(linear(x, self.weight, self.bias), dim=-1)"
        )
    },
)


wrong(
    "bias_not_used",
    why=(
        "The bias is there but `forward` does not add it, so it gets no gradient and keeps its "
        "initial value."
    ),
    change={"self.weight, self.bias": "self.weight"},
)


wrong(
    "random_start",
    why=(
        "The parameters start at random. Nothing is wrong with that in general, but the "
        "docstring asks for zeros, which are no problem for a convex loss."
    ),
    change={
        "torch.zeros(out_features, in_features, device": (
            "torch.rand(out_features, in_features, device"  # the same on every processor
        )
    },
)


wrong(
    "no_super_init",
    why=(
        "`super().__init__()` is missing; it creates the tables in which a module keeps its "
        "parameters, so without it nothing can be registered."
    ),
    change={"super().__init__()": "pass"},
)
