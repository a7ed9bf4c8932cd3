"""Right and wrong answers to `efficient_attention.linear_attention`."""

import torch
import torch.nn.functional as F

from grader.author.answers import right, wrong
from solutions.efficient_attention import feature_map


@right
def by_einsum(query, key, value):
    q, k = (torch.where(x > 0, x + 1, x.clamp(max=0).exp()) for x in (query, key))
    state = torch.einsum("...kd,...kv->...dv", k, value)
    divisor = torch.einsum("...qd,...d->...q", q, k.sum(-2))
    return torch.einsum("...qd,...dv->...qv", q, state) / divisor[..., None]


@right
def a_value_of_ones(query, key, value):
    query, key = 1 + F.elu(query), 1 + F.elu(key)
    value = torch.cat([value, torch.ones_like(value[..., :1])], dim=-1)
    sums = query @ (key.mT @ value)
    return sums[..., :-1] / sums[..., -1:]


@wrong(
    why=(
        "You computed φ(Q) φ(K)ᵀ first: the result is right, but this makes the table of T × T, "
        "which the other order avoids."
    ),
)
def the_table_first(query, key, value):
    scores = feature_map(query) @ feature_map(key).transpose(-2, -1)
    return scores / scores.sum(dim=-1, keepdim=True) @ value


wrong(
    "not_divided",
    why="You did not divide by the sum of the scores: the weights of a query must sum to 1.",
    change={"(query @ state) / (query @ total)": "query @ state"},
)


wrong(
    "divided_by_the_length",
    why=(
        "You divided by the number of keys. The divisor is the sum of this query's scores, which "
        "differs for each query."
    ),
    change={"(query @ state) / (query @ total)": "(query @ state) / key.shape[-2]"},
)


wrong(
    "divided_by_the_norm_of_the_keys",
    why="φ(q) is missing in your divisor: it is φ(q)·Σ φ(k), which differs for each query.",
    change={"(query @ total)": "total.sum(dim=-2, keepdim=True)"},
)


wrong(
    "features_of_the_keys_alone",
    why="You applied φ to the keys but not to the queries; a score can then be negative or zero.",
    change={"feature_map(query), feature_map(key)": "query, feature_map(key)"},
)


wrong(
    "features_of_the_queries_alone",
    why="You applied φ to the queries but not to the keys; a score can then be negative or zero.",
    change={"feature_map(query), feature_map(key)": "feature_map(query), key"},
)


wrong(
    "no_one_added",
    why="elu alone can be as low as −1; with 1 added, features are positive, and so are scores.",
    change={"feature_map(query), feature_map(key)": "F.elu(query), F.elu(key)"},
)


wrong(
    "relu_for_elu",
    why=(
        "relu(x) + 1 is 1 for every negative number, so all of them look alike and get no "
        "gradient. elu(x) + 1 keeps falling, toward 0."
    ),
    change={"feature_map(query), feature_map(key)": "F.relu(query) + 1, F.relu(key) + 1"},
)


wrong(
    "divided_by_the_root",
    why=(
        "You divided the queries by √d_k. The formula has no root, because there is no exponential "
        "to keep small."
    ),
    change={
        "feature_map(query), feature_map(key)": (
            "feature_map(query / query.shape[-1] ** 0.5), feature_map(key)"
        )
    },
)


wrong(
    "exp_of_large_numbers",
    why=(
        "You computed exp for large positive numbers, too, though `where` does not select it: it "
        "is infinite, and the gradient, 0 · ∞, is NaN. Clamp the argument of exp to 0 or less."
    ),
    change={
        "feature_map(query), feature_map(key)": (
            "(torch.where(x > 0, x + 1, x.exp()) for x in (query, key))"
        )
    },
    corner=True,
)
