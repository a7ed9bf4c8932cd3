"""Right and wrong answers to `attention.general_score`."""

import torch

from grader.author.answers import right, wrong


@right
def with_einsum(query, key, weight):
    return torch.einsum("...qi,ij,...kj->...qk", query, weight, key)


@right
def query_projected(query, key, weight):
    return (query @ weight) @ key.mT


@right
def one_query_at_a_time(query, key, weight):
    rows = [(key @ (q @ weight).unsqueeze(-1)).squeeze(-1) for q in query.unbind(-2)]
    return torch.stack(rows, dim=-2)


wrong(
    "transposed",
    why=(
        "You computed qᵀ Wᵀ k. If both sizes are equal, no error is raised, but queries and keys "
        "have swapped roles: W has a row per feature of the query."
    ),
    change={"key @ weight.T": "key @ weight"},
)


wrong(
    "symmetric",
    why=(
        "You multiplied both queries and keys by W, so the score is symmetric in the two. W "
        "appears once, between them."
    ),
    change={
        "dot_score(query, key @ weight.T)": (
            "dot_score(query @ weight if weight.shape[0] == weight.shape[1] else query, "
            "key @ weight.T)"
        )
    },
)


wrong(
    "scaled",
    why="The general score is not divided by anything: W can learn whatever size is right.",
    change={"key @ weight.T)": "key @ weight.T, scaled=True)"},
)


wrong(
    "squashed",
    why="There is no tanh here; that is the additive score. qᵀ W k is linear in both.",
    change={"key @ weight.T)": "torch.tanh(key @ weight.T))"},
)


wrong(
    "rows_for_keys",
    why="Your result has a row per key; the rows are those of the queries.",
    change={"dot_score(query, key @ weight.T)": "dot_score(key @ weight.T, query)"},
)
