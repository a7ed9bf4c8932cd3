"""Right and wrong answers to `efficient_attention.linear_attention_step`."""

import torch
import torch.nn.functional as F

from grader.author.answers import right, wrong


@right
def by_einsum(state, total, query, key, value):
    q, k = F.elu(query) + 1, F.elu(key) + 1
    state = state + torch.einsum("...k,...v->...kv", k, value)
    total = total + k
    top = torch.einsum("...k,...kv->...v", q, state)
    return top / torch.einsum("...k,...k->...", q, total).unsqueeze(-1), state, total


@right
def state_and_total_side_by_side(state, total, query, key, value):
    q, k = (torch.where(x > 0, x + 1, torch.exp(x.clamp(max=0))) for x in (query, key))
    both = torch.cat([state, total.unsqueeze(-1)], dim=-1)
    more = torch.cat([value, torch.ones_like(value[..., :1])], dim=-1)
    both = both + k.unsqueeze(-1) @ more.unsqueeze(-2)
    sums = (q.unsqueeze(-1) * both).sum(-2)
    return sums[..., :-1] / sums[..., -1:], both[..., :-1], both[..., -1]


wrong(
    "asked_before_written",
    why=(
        "You read with the query before its own key and value were in the state: a position sees "
        "itself, and the first one would divide zero by zero."
    ),
    change={
        "found = (query[..., None, :] @ state)[..., 0, :]": (
            "state, old = state, state - key[..., :, None] * value[..., None, :]\n"
            "    found = (query[..., None, :] @ old)[..., 0, :]"
        ),
        "(query * total).sum(dim=-1, keepdim=True)": (
            "(query * (total - key)).sum(dim=-1, keepdim=True)"
        ),
    },
)


wrong(
    "not_divided",
    why="You did not divide φ(q)ᵀ A by φ(q)·a: the output grows with the number of positions.",
    change={"found / (query * total).sum(dim=-1, keepdim=True)": "found"},
)


wrong(
    "total_of_this_position_alone",
    why="Your divisor holds only this position's key; a is the sum over all positions so far.",
    change={"total = total + key": "total = key"},
)


wrong(
    "total_not_kept",
    why="You returned a unchanged, so the next step lacks this position's key.",
    change={
        "return found / (query * total).sum(dim=-1, keepdim=True), state, total": (
            "return found / (query * total).sum(dim=-1, keepdim=True), state, total - key"
        )
    },
)


wrong(
    "written_over",
    why="You replaced the state by this position's product; add the product to the state.",
    change={"state = state + key": "state = key"},
)


wrong(
    "raw_keys_written",
    why="You added the key to the state without φ; the query reads with features.",
    change={"feature_map(query), feature_map(key)": "feature_map(query), key"},
)


wrong(
    "raw_query_asks",
    why="You read with the query without φ; the state holds features.",
    change={"feature_map(query), feature_map(key)": "query, feature_map(key)"},
)


wrong(
    "state_changed_in_place",
    why=(
        "You changed the given state in place: a caller who kept it, to continue from it twice or "
        "to compute gradients, now holds another one."
    ),
    change={"state = state + key[": "state += key["},
)


wrong(
    "row_times_column",
    why=(
        "A holds φ(k) vᵀ, a row per feature of the key. You added v φ(k)ᵀ, or read along the wrong "
        "axis; the shapes agree only if d_k = d_v."
    ),
    change={
        "state + key[..., :, None] * value[..., None, :]": (
            "state + (value[..., :, None] * key[..., None, :]).reshape(state.shape)"
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
