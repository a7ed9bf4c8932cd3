"""Right and wrong answers to `interpretability.feature_dimensionality`."""

import torch

from grader.author.answers import equivalent, right, wrong


@right
def with_unit_columns(weight):
    unit = torch.nn.functional.normalize(weight, dim=-2)
    shared = (unit.transpose(-1, -2) @ weight).pow(2).sum(dim=-1)
    size = weight.pow(2).sum(dim=-2)
    return torch.where(size == 0, torch.zeros_like(size), size / shared.clamp(min=1e-300))


@right
def column_by_column(weight):
    found = []
    for i in range(weight.shape[-1]):
        column = weight[..., i : i + 1]  # (..., m, 1)
        size = column.square().sum(dim=(-2, -1))
        others = (column * weight).sum(dim=-2).square().sum(dim=-1)
        share = size * size / others
        found.append(share.masked_fill(size == 0, 0.0))
    return torch.stack(found, dim=-1)


wrong(
    "both_of_length_one",
    why=(
        "Both columns were divided by their lengths; W_j keeps its own, so that short "
        "columns disturb less."
    ),
    change={
        "overlaps = weight.mT @ weight": (
            "weight = F.normalize(weight, dim=-2); overlaps = weight.mT @ weight"
        )
    },
)


wrong(
    "neither_of_length_one",
    why=(
        "Ŵ_i must have length 1 in the sum; with W_i itself, the result depends on the "
        "scale of the weights."
    ),
    change={"squared.square() /": "squared /"},
)


wrong(
    "products_not_squared",
    why="The products were added up without their squares, so opposite directions cancel.",
    change={"overlaps.square().sum(dim=-1)": "(overlaps.sum(dim=-1) * squared)"},
)


wrong(
    "without_the_feature_itself",
    why=(
        "The sum runs over all j, the feature itself included; without it, a feature "
        "alone is divided by 0."
    ),
    change={
        "shared = overlaps.square().sum(dim=-1)": (
            "shared = overlaps.square().sum(dim=-1) - squared.square()"
        )
    },
)


wrong(
    "rows_for_columns",
    why="Rows of W were compared; a feature is a column.",
    change={"overlaps = weight.mT @ weight": "overlaps = weight @ weight.mT"},
)


wrong(
    "length_not_squared",
    why="The length in the numerator is squared in this formula.",
    change={"squared.square() /": "squared.square() / squared.sqrt().clamp(min=1e-30) /"},
)


wrong(
    "nan_without_a_direction",
    why=(
        "A column of zeros became NaN (0/0); a feature that is not represented has "
        "dimensionality 0."
    ),
    change={"torch.where(squared > 0, shared, 1)": "shared"},
    corner=True,
)


equivalent(
    "shared = overlaps.square().sum(dim=-2)",
    why="the products of columns are a symmetric matrix",
)


equivalent(
    "return squared.square() / torch.where(squared > 0, shared, 2)",
    why="0 divided by any other number is 0",
)
