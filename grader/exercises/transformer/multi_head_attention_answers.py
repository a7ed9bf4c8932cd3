"""Right and wrong answers to `transformer.multi_head_attention`."""

import math

import torch
import torch.nn.functional as F

from grader.author.answers import right, wrong
from solutions.self_attention import scaled_dot_product_attention
from solutions.transformer import merge_heads, split_heads


@right
def head_by_head(x, memory, weight_q, weight_k, weight_v, weight_o, *, num_heads, mask=None):
    size = x.shape[-1] // num_heads
    total = 0
    for head in range(num_heads):
        rows = slice(head * size, (head + 1) * size)
        found = scaled_dot_product_attention(
            x @ weight_q[rows].T, memory @ weight_k[rows].T, memory @ weight_v[rows].T, mask
        )
        total = total + found @ weight_o[:, rows].T
    return total


@right
def in_one_einsum(x, memory, weight_q, weight_k, weight_v, weight_o, *, num_heads, mask=None):
    size = x.shape[-1]
    q, k, v = (
        torch.einsum("...td,hed->...hte", given, weight.view(num_heads, -1, size))
        for given, weight in ((x, weight_q), (memory, weight_k), (memory, weight_v))
    )
    scores = torch.einsum("...qe,...ke->...qk", q, k) * (size // num_heads) ** -0.5
    if mask is None:
        mask = torch.ones(x.shape[-2], memory.shape[-2], dtype=torch.bool)
    while mask.dim() < 2:
        mask = mask[None]
    mask = mask[..., None, :, :]
    weights = torch.where(mask, scores, -math.inf).softmax(-1).masked_fill(~mask, 0.0)
    return torch.einsum("...hqk,...hke,dhe->...qd", weights, v, weight_o.view(size, num_heads, -1))


wrong(
    "scaled_by_all_features",
    why=(
        "You divided the scores by √D, for all features together. A score of one head is a sum of "
        "d_k = D/heads products, so √d_k brings it to variance 1."
    ),
    change={
        "F.linear(x, weight_q), num_heads)": "F.linear(x, weight_q) / num_heads**0.5, num_heads)"
    },
)


wrong(
    "heads_cut_by_view",
    why=(
        "You split the heads with one `view` to (heads, T, d_k), which mixes positions. Split the "
        "features, then swap axes."
    ),
    change={
        "query = split_heads(F.linear(x, weight_q), num_heads)": (
            "split_heads = lambda x, heads: x.reshape(*x.shape[:-2], heads, x.shape[-2], -1)\n"
            "    query = split_heads(F.linear(x, weight_q), num_heads)"
        )
    },
)


wrong(
    "no_output_projection",
    why="W_O is missing: it combines the results of the heads.",
    change={"F.linear(merge_heads(found), weight_o)": "merge_heads(found) + 0 * weight_o.sum()"},
)


wrong(
    "output_before_merging",
    why=(
        "You merged the heads with a reshape before swapping the axes back, so W_O gets features "
        "of several positions at once."
    ),
    change={"merge_heads(found)": "found.reshape(x.shape)"},
)


wrong(
    "weights_transposed",
    why="The weights are stored outputs first, as in `nn.Linear`: compute X Wᵀ, not X W.",
    change={
        "F.linear(x, weight_q)": "(x @ weight_q)",
        "F.linear(memory, weight_k)": "(memory @ weight_k)",
        "F.linear(memory, weight_v)": "(memory @ weight_v)",
        "F.linear(merge_heads(found), weight_o)": "merge_heads(found) @ weight_o",
    },
)


wrong(
    "values_from_the_query",
    why="The values come from the memory, as the keys do; you computed them from x.",
    change={
        "F.linear(memory, weight_v)": (
            "F.linear(x[..., torch.arange(memory.shape[-2]) % x.shape[-2], :], weight_v)"
        )
    },
)


wrong(
    "keys_from_the_query",
    why=(
        "You attended from x to x. Keys and values come from the memory, which is x itself only "
        "in self-attention."
    ),
    change={
        "F.linear(memory, weight_k)": (
            "F.linear(x[..., torch.arange(memory.shape[-2]) % x.shape[-2], :], weight_k)"
        )
    },
)


wrong(
    "mask_without_the_axis_of_heads",
    why=(
        "A mask (batch, Q, K) is aligned with scores (batch, heads, Q, K) from the end, so its "
        "batch axis is taken for the heads, without an error if the two sizes are equal. Insert a "
        "head axis."
    ),
    change={"_for_heads(mask)": "mask"},
)


wrong(
    "heads_averaged",
    why=(
        "You gave every head the mean of all heads' results. Each head has its own result, and W_O "
        "has columns for each."
    ),
    change={"merge_heads(found)": "merge_heads(found.mean(dim=-3, keepdim=True).expand_as(found))"},
)


wrong(
    "mask_ignored",
    why="The mask makes no difference to your result.",
    change={", _for_heads(mask))": ")"},
)


@wrong(
    why=(
        "You set masked scores to a large negative number. An allowed score may be smaller still, "
        "and then the masked keys get weight. Use −∞, which is below every score."
    ),
    corner=True,
)
def a_number_for_infinity(
    x, memory, weight_q, weight_k, weight_v, weight_o, *, num_heads, mask=None
):
    query, key, value = (
        split_heads(F.linear(part, weight), num_heads)
        for part, weight in ((x, weight_q), (memory, weight_k), (memory, weight_v))
    )
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    if mask is not None:
        allowed = torch.atleast_2d(mask).unsqueeze(-3)
        weights = scores.masked_fill(~allowed, -1e9).softmax(dim=-1).masked_fill(~allowed, 0.0)
    else:
        weights = scores.softmax(dim=-1)
    return F.linear(merge_heads(weights @ value), weight_o)


wrong(
    "axis_by_the_number_of_axes",
    why=(
        "You inserted the axis of the heads only into a mask with as many axes as `x`. A mask may "
        "have fewer, with a batch axis among them: insert it before the last two axes, always."
    ),
    change={
        "_for_heads(mask)": (
            "mask.unsqueeze(-3) if mask is not None and mask.ndim == x.ndim else mask"
        )
    },
    corner=True,
)
