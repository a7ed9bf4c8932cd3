"""Right and wrong answers to `refresher.squared_distances`."""

import torch

from grader.author.answers import right, wrong


@right
def row_by_row(x, y):
    return torch.stack([((row - y) ** 2).sum(dim=1) for row in x])


@right
def einsum_of_differences(x, y):
    apart = x.unsqueeze(1) - y.unsqueeze(0)
    return torch.einsum("abd,abd->ab", apart, apart)


wrong(
    "root_taken",
    why="The root makes it a distance; the squared distance is asked for.",
    change={"sum(dim=-1)": "sum(dim=-1).sqrt()"},
)


wrong(
    "mean_for_sum",
    why="The mean over the features is D times too small: a squared distance is their sum.",
    change={"sum(dim=-1)": "mean(dim=-1)"},
)


wrong(
    "axes_swapped",
    why="Rows of y against rows of x give (B, A), the transpose of what is asked for.",
    change={"x[:, None] - y": "y[:, None] - x"},
)


wrong(
    "not_squared",
    why=("The differences were added without a square, so that positive and negative ones cancel."),
    change={"differences.square()": "differences"},
)


wrong(
    "absolute_differences",
    why="Σ |x − y| is the Manhattan distance; here each difference is squared.",
    change={"differences.square()": "differences.abs()"},
)


wrong(
    "square_of_the_sum",
    why="(Σ d)² was computed, and Σ d² is asked for: square each difference, then sum.",
    change={"differences.square().sum(dim=-1)": "differences.sum(dim=-1).square()"},
)


wrong(
    "summed_over_rows",
    why="The sum ran over the rows of y and left the features: sum over the last axis.",
    change={"sum(dim=-1)": "sum(dim=1)"},
)


wrong(
    "rows_paired",
    why=(
        "Row a of x meets row a of y alone; an axis of size 1, `x[:, None]`, lets every row meet "
        "every row."
    ),
    change={"x[:, None] - y": "x - y"},
)


@wrong(
    why=(
        "‖x‖² + ‖y‖² − 2 x · y subtracts large numbers that are nearly equal: far from 0 the small "
        "distance between two rows is lost in rounding, or is ∞ − ∞."
    ),
    corner=True,
)
def squares_multiplied_out(x, y):
    return (x**2).sum(1)[:, None] + (y**2).sum(1) - 2 * x @ y.T


wrong(
    "kept_from_zero",
    why=(
        "The squares were kept above a small number, or one was added, to be safe: rows that "
        "agree have the distance 0, and those that nearly do a smaller one than that."
    ),
    change={"sum(dim=-1)": "sum(dim=-1).clamp(min=1e-12)"},
    corner=True,
)
