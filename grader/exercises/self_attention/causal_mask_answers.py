"""Right and wrong answers to `self_attention.causal_mask`."""

import torch

from grader.author.answers import right, wrong


@right
def positions_compared(length, *, device=None):
    t = torch.arange(length, device=device)
    return t[None, :] <= t[:, None]


@right
def rows_written_out(length, *, device=None):
    rows = [[True] * (i + 1) + [False] * (length - i - 1) for i in range(length)]
    return torch.tensor(rows, dtype=torch.bool, device=device).reshape(length, length)


wrong(
    "not_oneself",
    why=(
        "A position may attend to itself; you left the diagonal out, so the first position has "
        "nothing to attend to."
    ),
    change={".tril()": ".tril(-1)"},
)


wrong(
    "future_alone",
    why=(
        "This is the other triangle: each query attends to itself and the future. Rows are "
        "queries, columns are keys."
    ),
    change={".tril()": ".triu()"},
)


wrong(
    "true_means_blocked",
    why=(
        "Here True means *may attend*, as in `F.scaled_dot_product_attention`; "
        "in `nn.MultiheadAttention` it means blocked, and that is the mask you "
        "built."
    ),
    change={".tril()": ".triu(1)"},
)


wrong(
    "numbers",
    why="Return a boolean mask; you returned ones and zeros.",
    change={"dtype=torch.bool, ": ""},
)


wrong(
    "additive",
    why="This is the additive mask of 0 and −∞; return the boolean one.",
    change={
        "torch.ones(length, length, dtype=torch.bool, device=device).tril()": (
            "torch.full((length, length), -math.inf).triu(1)"
        )
    },
)
