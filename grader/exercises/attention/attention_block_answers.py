"""Right and wrong answers to `attention.attention_block`."""

import torch

from grader.author.answers import right, wrong


@right
def with_einsum(h, x):
    p = torch.softmax(torch.einsum("...d,...td->...t", h, x), dim=-1)
    return torch.einsum("...t,...td->...d", p, x), p


@right
def products_summed(h, x):
    scores = (h.unsqueeze(-2) * x).sum(-1)
    numbers = torch.exp(scores - scores.amax(-1, keepdim=True))
    p = numbers / numbers.sum(-1, keepdim=True)
    return (p.unsqueeze(-1) * x).sum(-2), p


wrong(
    "scaled",
    why="Here p ∝ exp(h·x), without a division by √D.",
    change={".softmax(dim=-1)": ".div(x.shape[-1] ** 0.5).softmax(dim=-1)"},
)


wrong(
    "query_mixed_in",
    why="c is a mean of the x_t alone; you added the query h.",
    change={
        "return (p[..., None, :] @ x)[..., 0, :], p": (
            "return (p[..., None, :] @ x)[..., 0, :] + h, p"
        )
    },
)


wrong(
    "no_exponential",
    why="You divided the products by their sum. They may be negative; p ∝ exp(h·x).",
    change={
        "p = (x @ h[..., None])[..., 0].softmax(dim=-1)": (
            "p = (x @ h[..., None])[..., 0]\n    p = p / p.sum(dim=-1, keepdim=True)"
        )
    },
)


wrong(
    "overflow",
    why="exp(h·x) overflows if the query is long; subtract the largest score first.",
    change={
        "p = (x @ h[..., None])[..., 0].softmax(dim=-1)": (
            "p = (x @ h[..., None])[..., 0].exp()\n    p = p / p.sum(dim=-1, keepdim=True)"
        )
    },
    corner=True,
)


wrong(
    "sum_for_mean",
    why="You summed exp(h·x) x_t without dividing by the sum of the weights.",
    change={".softmax(dim=-1)": ".exp()"},
)


wrong(
    "weights_first",
    why="c comes first, then p.",
    change={
        "return (p[..., None, :] @ x)[..., 0, :], p": ("return p, (p[..., None, :] @ x)[..., 0, :]")
    },
)


wrong(
    "over_the_batch",
    why="The softmax ran over the sequences of the batch; each sequence has its own weights.",
    change={".softmax(dim=-1)": ".softmax(dim=0)"},
)


wrong(
    "every_axis_of_one_squeezed",
    why=(
        "`squeeze()` removes every axis of size 1, including the batch axis if the batch has one "
        "sequence: name the axis."
    ),
    change={"(p[..., None, :] @ x)[..., 0, :]": "(p[..., None, :] @ x).squeeze()"},
    corner=True,
)
