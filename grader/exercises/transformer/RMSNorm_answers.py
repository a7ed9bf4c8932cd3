"""Right and wrong answers to `transformer.RMSNorm`."""

import torch
from torch import nn

from grader.author.answers import right, wrong


@right
class divided_by_a_root(nn.Module):
    def __init__(self, features, *, eps=1e-6, device=None):
        super().__init__()
        self.weight = nn.Parameter(torch.full((features,), 1.0, device=device))
        self.eps = eps

    def forward(self, x):
        given = x if x.dtype == torch.float64 else x.float()
        root = ((given**2).mean(-1, keepdim=True) + self.eps) ** 0.5
        return (given / root).type_as(x) * self.weight


@right
class by_einsum(nn.Module):
    def __init__(self, features, *, eps=1e-6, device=None):
        super().__init__()
        self.register_parameter("weight", nn.Parameter(torch.ones(features, device=device)))
        self.eps = eps

    def forward(self, x):
        wide = torch.float64 if x.dtype is torch.float64 else torch.float32
        given = x.to(wide)
        square = torch.einsum("...d,...d->...", given, given) / x.shape[-1]
        return torch.mul(
            self.weight, (given * (square + self.eps).pow(-0.5)[..., None]).to(x.dtype)
        )


wrong(
    "mean_taken_out",
    why=(
        "You subtracted the mean first: that is layer normalization. RMSNorm leaves the mean in, "
        "and is cheaper for that reason."
    ),
    change={
        "wide = x.to(torch.promote_types(x.dtype, torch.float32))": (
            "wide = x.to(torch.promote_types(x.dtype, torch.float32))\n"
            "        wide = wide - wide.mean(dim=-1, keepdim=True)"
        )
    },
)


wrong(
    "divided_by_the_length",
    why=(
        "You divided by the length of the vector, √D times the root mean square, so entries shrink "
        "as vectors get wider."
    ),
    change={".mean(dim=-1, keepdim=True)": ".sum(dim=-1, keepdim=True)"},
)


wrong(
    "eps_beside_the_root",
    why="Add eps under the root; added to the root, it has a far larger effect on small vectors.",
    change={
        "scale = torch.rsqrt(wide.square().mean(dim=-1, keepdim=True) + self.eps)": (
            "scale = 1 / (wide.square().mean(dim=-1, keepdim=True).sqrt() + self.eps)"
        )
    },
)


wrong(
    "over_the_batch",
    why="Take the mean over the features of each vector, the last axis; yours is over all vectors.",
    change={".mean(dim=-1, keepdim=True)": ".mean()"},
)


wrong(
    "no_scale",
    why="γ is missing, so features cannot be weighted.",
    change={"return self.weight * (wide * scale)": "return (wide * scale)"},
)


wrong(
    "scale_starts_at_zero",
    why="γ starts at 1. (Some write 1 + γ and start γ at 0; published weights then do not fit.)",
    change={
        "nn.Parameter(torch.ones(features, device=device))": (
            "nn.Parameter(torch.zeros(features, device=device))"
        ),
        "return self.weight": "return (1 + self.weight)",
    },
)


wrong(
    "eps_of_layer_norm",
    why="You used the 1e-5 of `nn.LayerNorm`, or another fixed number, instead of the given eps.",
    change={"self.eps = eps": "self.eps = 1e-5"},
)


wrong(
    "bfloat16_as_it_is",
    why=(
        "You computed only float16 in float32. bfloat16 has the range of float32, but three "
        "digits: the square, the mean and the root are each rounded to them."
    ),
    change={
        "wide = x.to(torch.promote_types(x.dtype, torch.float32))": (
            "wide = x.float() if x.dtype == torch.float16 else x"
        )
    },
    corner=True,
)


wrong(
    "cast_behind_the_scale",
    why=(
        "You cast the whole product to the dtype of `x`. Cast only the result of the division; if "
        "γ is more precise than `x`, so is the product."
    ),
    change={
        "self.weight * (wide * scale).to(x.dtype)": "(self.weight * (wide * scale)).to(x.dtype)"
    },
    corner=True,
)
