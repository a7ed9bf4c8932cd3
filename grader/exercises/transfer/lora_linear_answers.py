"""Right and wrong answers to `transfer.lora_linear`."""

import torch

from grader.author.answers import right, wrong


@right
def with_at(x, weight, A, B, *, alpha):
    rank = A.shape[0]
    return x @ weight.T + ((x @ A.T) @ B.T) * (alpha / rank)


@right
def with_einsum(x, weight, A, B, *, alpha):
    down = torch.einsum("...d,rd->...r", x, A) * alpha
    update = torch.einsum("...r,cr->...c", down, B) / B.shape[1]
    return torch.nn.functional.linear(x, weight) + update


wrong(
    "scale_forgotten",
    why=(
        "The update is not scaled by α / r: a larger rank, or another α, means another "
        "learning rate."
    ),
    change={"alpha / len(A) * F.linear(F": "F.linear(F"},
)


wrong(
    "alpha_alone",
    why=(
        "The update was multiplied by α and not divided by r: twice the rank is about twice "
        "the step."
    ),
    change={"alpha / len(A) *": "alpha *"},
)


wrong(
    "alpha_forgotten",
    why="The update was divided by r and not multiplied by α: the scale is α / r.",
    change={"alpha / len(A) *": "1 / len(A) *"},
)


wrong(
    "rank_by_alpha",
    why="The scale is α / r; this is r / α.",
    change={"alpha / len(A) *": "len(A) / alpha *"},
)


wrong(
    "divided_by_the_features",
    why="α was divided by the number of features; r is the number of rows of A.",
    change={"len(A) *": "A.shape[1] *"},
)


wrong(
    "root_of_the_rank",
    why="α was divided by √r, as a later paper proposes; here it is r.",
    change={"alpha / len(A) *": "alpha / len(A) ** 0.5 *"},
)


wrong(
    "weight_scaled_too",
    why="The frozen weight was scaled with the update; only B A has the factor α / r.",
    change={
        "F.linear(x, weight) + alpha / len(A) * ": (
            "alpha / len(A) * F.linear(x, weight) + alpha / len(A) * "
        )
    },
)


wrong(
    "weight_missing",
    why="The frozen weight is missing: the update is added to it.",
    change={"F.linear(x, weight) + ": ""},
)


@wrong(
    why=(
        "B A was made, a matrix as large as W: the result is right, and the memory and the work "
        "that the low rank saves are gone."
    )
)
def the_whole_matrix(x, weight, A, B, *, alpha):
    return x @ (weight + alpha / len(A) * (B @ A)).T
