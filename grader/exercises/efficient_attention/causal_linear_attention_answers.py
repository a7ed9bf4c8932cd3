"""Right and wrong answers to `efficient_attention.causal_linear_attention`."""

import torch
import torch.nn.functional as F

from grader.author.answers import right, wrong
from solutions.efficient_attention import feature_map, linear_attention_step


@right
def step_by_step(query, key, value, *, block=64):
    state = value.new_zeros(*value.shape[:-2], key.shape[-1], value.shape[-1])
    total = value.new_zeros(*value.shape[:-2], key.shape[-1])
    found = []
    for t in range(query.shape[-2]):
        now = (part[..., t, :] for part in (query, key, value))
        output, state, total = linear_attention_step(state, total, *now)
        found.append(output)
    return torch.stack(found, dim=-2)


@right
def divisor_apart(query, key, value, *, block=64):
    q, k = F.elu(query) + 1, F.elu(key) + 1
    state, total, outputs = 0, 0, []
    for start in range(0, q.shape[-2], block):
        part = slice(start, start + block)
        a, b, c = q[..., part, :], k[..., part, :], value[..., part, :]
        scores = torch.einsum("...td,...sd->...ts", a, b)
        places = torch.arange(scores.shape[-1], device=scores.device)
        scores = scores * (places <= places[:, None])
        top, below = scores @ c, scores.sum(-1, keepdim=True)
        if start:
            top, below = top + a @ state, below + a @ total
        outputs.append(top / below)
        state = state + b.transpose(-2, -1) @ c
        total = total + b.sum(-2)[..., None]
    return torch.cat(outputs, dim=-2)


@wrong(
    why=(
        "You made a table of T × T, of all scores or of a mask for them: the result is right, at a "
        "size that blocks avoid."
    ),
)
def the_whole_table(query, key, value, *, block=64):
    scores = (feature_map(query) @ feature_map(key).transpose(-2, -1)).tril()
    return scores / scores.sum(-1, keepdim=True) @ value


@wrong(
    why=(
        "Your running sum keeps the state after *every* position, T × d_k × d_v numbers. The state "
        "after each block is enough."
    ),
)
def every_state_kept(query, key, value, *, block=64):
    query, key = feature_map(query), feature_map(key)
    states = (key[..., :, None] * value[..., None, :]).cumsum(dim=-3)
    totals = key.cumsum(dim=-2)
    found = (query[..., None, :] @ states)[..., 0, :]
    return found / (query * totals).sum(dim=-1, keepdim=True)


wrong(
    "future_inside_the_block",
    why=(
        "You did not mask the future inside a block: a query sees keys after it, up to the end of "
        "its block."
    ),
    change={".tril()": ""},
)


wrong(
    "not_itself",
    why="A position sees itself; your triangle leaves out the diagonal.",
    change={".tril()": ".tril(-1)"},
)


wrong(
    "the_wrong_triangle",
    why="You kept the future and masked the past.",
    change={".tril()": ".triu()"},
)


wrong(
    "block_in_the_state_too_soon",
    why=(
        "You added the block to the state before its queries read it: they count the block twice, "
        "and the future with it."
    ),
    change={
        (
            "        found.append(q @ state + inside @ v)\n        state = state + "
            "k.transpose(-2, -1) @ v\n"
        ): (
            "        state = state + k.transpose(-2, -1) @ v\n"
            "        found.append(q @ state + inside @ v)\n"
        )
    },
)


wrong(
    "blocks_on_their_own",
    why="Your blocks ignore the state that earlier blocks left.",
    change={"found.append(q @ state + inside @ v)": "found.append(inside @ v)"},
)


wrong(
    "the_last_block_alone",
    why="You replaced the state by that of the last block; it is the sum over all earlier blocks.",
    change={"state = state + k.transpose(-2, -1) @ v": "state = k.transpose(-2, -1) @ v"},
)


wrong(
    "not_divided",
    why="You did not divide the sums by the sums of the scores.",
    change={"return sums[..., :-1] / sums[..., -1:]": "return sums[..., :-1]"},
)


wrong(
    "raw_queries",
    why="You applied φ to the keys but not to the queries.",
    change={"feature_map(query), feature_map(key)": "query, feature_map(key)"},
)


wrong(
    "one_block_of_what_does_not_fit",
    why=(
        "If the block size does not divide T, you made everything one block, with its table of T × "
        "T. The last block may be shorter instead."
    ),
    change={
        "query, key = feature_map(query), feature_map(key)": (
            "length = query.shape[-2]\n"
            "    block = length if length % block else block\n"
            "    query, key = feature_map(query), feature_map(key)"
        )
    },
    corner=True,
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
