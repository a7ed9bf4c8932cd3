"""Right and wrong answers to `embeddings.glove_loss`."""

import math

import torch

from grader.author.answers import equivalent, right, wrong


@right
def only_the_cells_seen(products, counts, *, limit=100.0, power=0.75):
    seen = counts > 0
    n = counts[seen].to(products.dtype)
    weight = torch.where(n < limit, (n / limit) ** power, torch.ones_like(n))
    return torch.sum(weight * (products[seen] - torch.log(n)) ** 2)


@right
def cell_by_cell(products, counts, *, limit=100.0, power=0.75):
    total = 0 * products[counts > 0].sum()
    for row, column in (counts > 0).nonzero().tolist():
        count = float(counts[row, column])
        weight = min(1.0, (count / limit) ** power)
        total = total + weight * (products[row, column] - math.log(count)) ** 2
    return total


wrong(
    "no_weights",
    why=(
        "All cells have the same weight; a pair seen once says little, and there are very many "
        "such pairs. f(n) keeps them from dominating."
    ),
    change={"(weight * distance": "((counts > 0) * distance"},
)


wrong(
    "weights_without_a_limit",
    why="Beyond the limit the weight is 1; here the most frequent pairs outweigh all others.",
    change={".clamp(max=1) ** power": " ** power"},
)


wrong(
    "limited_after_the_power_of_the_count",
    why="The weight is (n / limit)^power; you raised only the count to the power.",
    change={"(counts / limit).clamp(max=1) ** power": ("(counts**power / limit).clamp(max=1)")},
)


wrong(
    "fixed_power",
    why="`power` is not used; it determines how fast the weight grows.",
    change={" ** power": " ** 0.75"},
)


wrong(
    "fixed_limit",
    why="`limit` is not used; it is the count from which on all cells have the same weight.",
    change={"(counts / limit)": "(counts / 100)"},
)


wrong(
    "counts_for_their_logarithms",
    why=(
        "The products were compared with the counts; compare them with the logarithms of the "
        "counts."
    ),
    change={"counts.log()": "counts"},
)


wrong(
    "one_added_to_the_counts",
    why=(
        "ln(1 + n) avoids the logarithm of zero, but changes that of every other count; leave "
        "out cells that were never seen, and use ln n for the others."
    ),
    change={"counts.log()": "(counts + 1).log()"},
)


wrong(
    "unseen_cells_pulled_to_zero",
    why=(
        "With a power of 0, cells never seen also get the weight 1 and are pulled to 0; leave "
        "them out."
    ),
    change={
        "torch.where(counts > 0, products - counts.log(), 0.0)": (
            "products - torch.where(counts > 0, counts, 1.0).log()"
        )
    },
)


wrong(
    "logarithm_of_zero",
    why=(
        "ln 0 is −∞, and 0 · ∞ is NaN; a weight of 0 does not remove the cell. Replace the "
        "logarithm first."
    ),
    change={"torch.where(counts > 0, products - counts.log(), 0.0)": "products - counts.log()"},
)


wrong(
    "mean_over_the_cells",
    why="The loss is a sum over the cells, eq. 8 of the paper; a mean depends on the empty ones.",
    change={".square()).sum()": ".square()).mean()"},
)


wrong(
    "not_squared",
    why="The distances were not squared; their signs cancel, and the sum has no minimum.",
    change={"distance.square()": "distance"},
)


wrong(
    "weight_squared",
    why="The weight is inside the square; it must multiply the square.",
    change={"(weight * distance.square()).sum()": "(weight * distance).square().sum()"},
)


equivalent(
    "counts = (counts)",
    why="torch makes float32 of whole numbers then, which differs in the last digits alone",
)


wrong(
    "counts_below_one_raised",
    why=(
        "`clamp(min=1)` avoids ln 0 but also changes every count below 1; such counts occur if "
        "distant neighbors count for less."
    ),
    change={"counts.log()": "counts.clamp(min=1).log()"},
    corner=True,
)


wrong(
    "zero_times_infinity",
    why=(
        "Cells never seen got the weight 0, and 0 · ∞ is NaN where their product is infinite: "
        "select the distance with `torch.where`, not only the weight."
    ),
    change={
        "torch.where(counts > 0, products - counts.log(), 0.0)": (
            "products - torch.where(counts > 0, counts, 1.0).log()"
        ),
        "(weight * distance": "(torch.where(counts > 0, weight, 0.0) * distance",
    },
    corner=True,
)
