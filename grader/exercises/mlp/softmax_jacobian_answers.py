"""Right and wrong answers to `mlp.softmax_jacobian`."""

import torch

from grader.author.answers import right, wrong


@right
def rows_of_identity_minus_p(input):
    p = torch.exp(input - torch.logsumexp(input, dim=-1, keepdim=True))
    eye = torch.eye(input.shape[-1], dtype=input.dtype)
    return torch.einsum("...i,...ij->...ij", p, eye - p.unsqueeze(-2))


@right
def row_by_row(input):
    p = input.softmax(-1)
    flat = p.reshape(-1, p.shape[-1])
    rows = [torch.diag(row) - torch.outer(row, row) for row in flat]
    return torch.stack(rows).reshape(*p.shape, p.shape[-1])


wrong(
    "diagonal_alone",
    why=(
        "Only the diagonal p (1 − p) was computed, as if every probability "
        "depended on its own score alone; they share one sum, so raising a "
        "score lowers all other probabilities."
    ),
    change={
        "torch.diag_embed(p) - p.unsqueeze(-1) * p.unsqueeze(-2)": ("torch.diag_embed(p * (1 - p))")
    },
)


wrong(
    "sign_flipped",
    why=(
        "The terms are subtracted in the wrong order: raising a score would lower its own "
        "probability."
    ),
    change={
        "torch.diag_embed(p) - p.unsqueeze(-1) * p.unsqueeze(-2)": (
            "p.unsqueeze(-1) * p.unsqueeze(-2) - torch.diag_embed(p)"
        )
    },
)


wrong(
    "delta_forgotten",
    why=("p_i − p_i p_j puts p_i into the whole row; it belongs only where i = j."),
    change={"torch.diag_embed(p)": "p.unsqueeze(-1)"},
)


wrong(
    "outer_product_with_the_wrong_axes",
    why=(
        "Both factors vary along the same axis, so the second term is p_j² in "
        "every row and not p_i p_j."
    ),
    change={"p.unsqueeze(-1) * ": "p.unsqueeze(-2) * "},
)


wrong(
    "softmax_over_the_batch",
    why=(
        "The softmax ran along the first axis: the probabilities of one example no longer sum to 1."
    ),
    change={"torch.softmax(input, dim=-1)": "torch.softmax(input, dim=0)"},
)


wrong(
    "one_vector_alone",
    why=(
        "`torch.diag` and `torch.outer` take one vector and no leading axes; `torch.diag_embed` "
        "and a product that broadcasts take any number of them."
    ),
    change={
        "torch.diag_embed(p) - p.unsqueeze(-1) * p.unsqueeze(-2)": (
            "torch.diag(p) - torch.outer(p, p)"
        )
    },
)


wrong(
    "scores_taken_for_probabilities",
    why=("The formula needs p = softmax(z); it was applied to the scores themselves."),
    change={"torch.softmax(input, dim=-1)": "input"},
)


wrong(
    "exponentials_overflow",
    why=(
        "exp(z) / Σ exp(z) is ∞/∞ for scores near 1,000 and 0/0 near −1,000; subtract the largest "
        "score of each vector first, which changes no probability."
    ),
    change={"torch.softmax(input, dim=-1)": "input.exp() / input.exp().sum(dim=-1, keepdim=True)"},
    corner=True,
)


wrong(
    "one_maximum_for_all",
    why=(
        "The largest score of the whole tensor was subtracted, so that a vector far below it is "
        "0/0; every vector has a largest score of its own."
    ),
    change={
        "torch.softmax(input, dim=-1)": (
            "(input - input.max()).exp(); p = p / p.sum(dim=-1, keepdim=True)"
        )
    },
    corner=True,
)
