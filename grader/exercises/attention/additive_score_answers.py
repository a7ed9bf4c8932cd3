"""Right and wrong answers to `attention.additive_score`."""

import torch

from grader.author.answers import right, wrong


@right
def joined_and_projected(query, key, weight_query, weight_key, v):
    if weight_key is None:
        weight_key = torch.eye(key.shape[-1], dtype=key.dtype, device=key.device)
    queries, keys = query.shape[-2], key.shape[-2]
    q = query.unsqueeze(-2).expand(*query.shape[:-1], keys, -1)
    k = key.unsqueeze(-3).expand(*key.shape[:-2], queries, -1, -1)
    both = torch.cat([q, k], dim=-1)
    weight = torch.cat([weight_query, weight_key], dim=1)
    return (both @ weight.mT).tanh().matmul(v)


@right
def one_query_at_a_time(query, key, weight_query, weight_key, v):
    found = key if weight_key is None else torch.einsum("...d,hd->...h", key, weight_key)
    rows = []
    for i in range(query.shape[-2]):
        asked = torch.einsum("...d,hd->...h", query[..., i, :], weight_query)
        rows.append((v * torch.tanh(asked.unsqueeze(-2) + found)).sum(dim=-1))
    return torch.stack(rows, dim=-2)


wrong(
    "no_tanh",
    why=(
        "Without the tanh the score is v·W_q q + v·W_k k: the query adds the same to all keys, the "
        "softmax cancels it, and all queries get the same weights."
    ),
    change={"hidden = torch.tanh(": "hidden = ("},
)


wrong(
    "tanh_at_the_end",
    why="The tanh belongs to the hidden layer, before v; you applied it to the finished score.",
    change={
        "hidden = torch.tanh(": "hidden = (",
        "return hidden @ v": "return (hidden @ v).tanh()",
    },
)


wrong(
    "multiplied",
    why="You multiplied the two projections; they are added, hence the name.",
    change={"] + found": "] * found"},
)


wrong(
    "each_squashed_alone",
    why=(
        "You took the tanh of each side before adding them. Then the query adds the same to every "
        "key and the softmax cancels it; take the tanh of the sum."
    ),
    change={
        "torch.tanh(asked[..., :, None, :] + found[..., None, :, :])": (
            "asked[..., :, None, :].tanh() + found[..., None, :, :].tanh()"
        )
    },
)


wrong(
    "rows_for_keys",
    why="Your result has a row per key: the queries belong on the axis before the last.",
    change={
        "[..., :, None, :]": "[..., None, :, :]",
        "found[..., None, :, :]": "found[..., :, None, :]",
    },
)


wrong(
    "summed_without_v",
    why="You summed the hidden features; v says how much each of them counts.",
    change={"return hidden @ v": "return hidden.sum(dim=-1)"},
)


wrong(
    "relu_for_tanh",
    why="The hidden layer of this score has a tanh, not a ReLU.",
    change={"torch.tanh(": "torch.relu("},
)


wrong(
    "keys_always_projected",
    why=(
        "Without `weight_key` the keys are already projected, once for all steps of a decoder; use "
        "them as they are."
    ),
    change={"key if weight_key is None else key @ weight_key.T": "key @ weight_key.T"},
)
