"""Right and wrong answers to `efficient_attention.low_rank_attention`."""

import math

import torch

from grader.author.answers import right, wrong


@right
def by_einsum(query, key, value, project_key, project_value):
    mixed_key = torch.einsum("rt,...td->...rd", project_key, key)
    mixed_value = torch.einsum("rt,...td->...rd", project_value, value)
    scores = torch.einsum("...qd,...rd->...qr", query, mixed_key) / math.sqrt(query.shape[-1])
    return torch.einsum("...qr,...rd->...qd", scores.softmax(-1), mixed_value)


@right
def keys_as_columns(query, key, value, project_key, project_value):
    columns = key.transpose(-2, -1) @ project_key.T  # (..., d_k, R)
    weights = torch.exp(torch.log_softmax(query @ columns * query.shape[-1] ** -0.5, dim=-1))
    return weights @ torch.matmul(project_value, value)


wrong(
    "one_projection_for_both",
    why="You mixed the values with R_K, the projection of the keys; they have a separate one, R_V.",
    change={"project_value @ value": "project_key @ value"},
)


wrong(
    "projections_swapped",
    why="R_K mixes the keys and R_V the values; you did it the other way around.",
    change={"project_key @ key, project_value @ value": "project_value @ key, project_key @ value"},
)


@wrong(
    why=(
        "You made a table with a column for each of the T positions: the result is right, at the "
        "full cost. Mix the keys before the scores are computed, and the values before they are "
        "weighted."
    ),
)
def scores_mixed_afterwards(query, key, value, project_key, project_value):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    return (scores @ project_key.T).softmax(-1) @ (project_value @ value)


@wrong(
    why=(
        "You took the softmax over all T positions, and mixed the weights afterward. They then do "
        "not sum to 1, and you computed the table of T scores."
    ),
)
def softmax_before_mixing(query, key, value, project_key, project_value):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    return (scores.softmax(-1) @ project_key.T) @ (project_value @ value)


wrong(
    "divided_by_the_root_of_the_rank",
    why=(
        "Scores are divided by √d_k, the size of a key; mixing positions does not change that size."
    ),
    change={
        "scaled_dot_product_attention(query, ": (
            "scaled_dot_product_attention(query * (query.shape[-1] / len(project_key)) ** 0.5, "
        )
    },
)


wrong(
    "no_root",
    why="You did not divide the scores by √d_k.",
    change={
        "scaled_dot_product_attention(query, ": (
            "scaled_dot_product_attention(query * query.shape[-1] ** 0.5, "
        )
    },
)
