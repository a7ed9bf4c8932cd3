"""Right and wrong answers to `diffusion.table_from_betas`."""

import torch

from grader.author.answers import right, wrong


@right
def step_by_step(betas):
    kept = torch.ones_like(betas.sum())
    rows = [torch.stack([kept, 1 - kept])]
    for beta in betas:
        kept = kept * (1 - beta)
        rows.append(torch.stack([kept, 1 - kept]))
    return torch.stack(rows) ** 0.5


@right
def padded(betas):
    signal = torch.nn.functional.pad((1 - betas).sqrt().cumprod(0), (1, 0), value=1.0)
    noise = torch.nn.functional.pad(1 - torch.cumprod(1 - betas, 0), (1, 0)).sqrt()
    return torch.cat([signal[:, None], noise[:, None]], dim=-1)


wrong(
    "no_roots",
    why=("These are ᾱ and 1 − ᾱ. They are variances; what multiplies x_0 and ε is their root."),
    change={", dim=1).sqrt()": ", dim=1)"},
)


wrong(
    "noise_without_a_root",
    why="The noise is 1 − ᾱ, a variance; what multiplies ε is its root.",
    change={
        "torch.stack([kept, 1 - kept], dim=1).sqrt()": "torch.stack([kept.sqrt(), 1 - kept], 1)"
    },
)


wrong(
    "signal_without_a_root",
    why="The signal is ᾱ, how much variance is left; what multiplies x_0 is its root.",
    change={
        "torch.stack([kept, 1 - kept], dim=1).sqrt()": "torch.stack([kept, (1 - kept).sqrt()], 1)"
    },
)


wrong(
    "sum_of_betas",
    why=(
        "The betas are added up. Each step shrinks what is left by its factor, so the factors "
        "1 − β are multiplied."
    ),
    change={
        "torch.cat([betas.new_ones(1), 1 - betas]).cumprod(dim=0)": (
            "1 - torch.cat([betas.new_zeros(1), betas]).cumsum(dim=0)"
        )
    },
)


wrong(
    "single_steps",
    why="Each row is a single step, not all steps up to it together: the product is missing.",
    change={".cumprod(dim=0)": ""},
)


wrong(
    "without_row_0",
    why="The table begins after the first step; row 0 is the clean example, with a = 1 and s = 0.",
    change={"torch.cat([betas.new_ones(1), 1 - betas])": "(1 - betas)"},
)


wrong(
    "noisiest_first",
    why="The table runs from noise to clean; row t is the level after t steps.",
    change={".sqrt()": ".sqrt().flip(0)"},
)


wrong(
    "noise_is_the_rest",
    why=(
        "The noise is 1 − √ᾱ, so that signal and noise add up to 1. In this chain their squares do."
    ),
    change={
        "torch.stack([kept, 1 - kept], dim=1).sqrt()": (
            "torch.stack([kept.sqrt(), 1 - kept.sqrt()], 1)"
        )
    },
)
