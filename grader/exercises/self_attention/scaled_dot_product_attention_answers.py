"""Right and wrong answers to `self_attention.scaled_dot_product_attention`."""

import math

import torch

from grader.author.answers import right, wrong


@right
def exponentials_by_hand(query, key, value, mask=None):
    if query.shape[-1] != key.shape[-1] or key.shape[-2] != value.shape[-2]:
        raise ValueError("sizes do not fit")
    if mask is not None and mask.dtype is not torch.bool:
        raise ValueError("a mask is bool")
    scores = torch.einsum("...qd,...kd->...qk", query * query.shape[-1] ** -0.5, key)
    if mask is None:
        mask = torch.ones((), dtype=torch.bool, device=query.device)
    allowed = mask.expand(scores.shape)
    top = scores.masked_fill(~allowed, -math.inf).amax(-1, keepdim=True)
    top = torch.where(top.isfinite(), top, 0.0).detach()
    raised = torch.where(allowed, torch.where(allowed, scores - top, 0.0).exp(), 0.0)
    total = raised.sum(-1, keepdim=True)
    weights = raised / torch.where(total > 0, total, 1.0)
    return torch.einsum("...qk,...kv->...qv", weights, value)


@right
def weights_of_masked_keys_erased(query, key, value, mask=None):
    if query.shape[-1] != key.shape[-1] or key.shape[-2] != value.shape[-2]:
        raise ValueError("sizes do not fit")
    if not (mask is None or mask.dtype == torch.bool):
        raise ValueError("a mask is bool")
    scores = query.matmul(key.mT).div(query.size(-1) ** 0.5)
    if mask is None:
        return scores.softmax(-1).matmul(value)
    weights = torch.where(mask, scores, -torch.inf).softmax(-1)
    return weights.masked_fill(~mask, 0.0).matmul(value)


wrong(
    "not_scaled",
    why=(
        "The division by √d_k is missing: the scores are √d_k times too large, "
        "and the softmax is too sharp."
    ),
    change={" / math.sqrt(query.shape[-1])": ""},
)


wrong(
    "scaled_by_d_k",
    why=(
        "You divided by d_k; its square root is the standard deviation of a "
        "dot product of d_k terms, and that is what brings the scores back to "
        "variance 1."
    ),
    change={"math.sqrt(query.shape[-1])": "query.shape[-1]"},
)


wrong(
    "scaled_by_d_v",
    why=(
        "You divided by the root of d_v, the size of the values; the scores "
        "are sums over the d_k features of queries and keys."
    ),
    change={"math.sqrt(query.shape[-1])": "math.sqrt(value.shape[-1])"},
)


wrong(
    "scaled_by_keys",
    why=(
        "You divided by the root of the number of keys; the scores are sums "
        "over the d_k features, so d_k is what counts."
    ),
    change={"math.sqrt(query.shape[-1])": "math.sqrt(key.shape[-2])"},
)


wrong(
    "multiplied_by_root",
    why="You multiplied by √d_k where it must divide.",
    change={"/ math.sqrt(query.shape[-1])": "* math.sqrt(query.shape[-1])"},
)


wrong(
    "softmax_over_queries",
    why=(
        "The softmax runs over the queries. Each query distributes its "
        "attention over the keys, so it belongs on the last axis, and each row "
        "sums to 1."
    ),
    change={
        "torch.softmax(scores, dim=-1)": "torch.softmax(scores, dim=-2)",
        "scores + added, dim=-1)": "scores + added, dim=-2)",
    },
)


wrong(
    "keys_reshaped",
    why=(
        "`view` or `reshape` keeps the numbers in their order and only cuts "
        "the rows elsewhere; Kᵀ swaps rows and columns, with `transpose(-2, "
        "-1)`."
    ),
    change={"key.transpose(-2, -1)": "key.reshape(*key.shape[:-2], key.shape[-1], key.shape[-2])"},
)


wrong(
    "batch_transposed",
    why=(
        "`transpose(0, 1)` swaps the first two axes, and with a batch those "
        "are not the keys and their features; count from the end: "
        "`transpose(-2, -1)`."
    ),
    change={"key.transpose(-2, -1)": "key.transpose(0, 1)"},
)


wrong(
    "mask_inverted",
    why=(
        "The mask works the wrong way round: True means *may attend* here, as "
        "in `F.scaled_dot_product_attention`, while `nn.MultiheadAttention` "
        "blocks where True."
    ),
    change={
        "additive_mask(mask | alone)": "additive_mask(~mask | alone)",
        "~mask.any(dim=-1": "mask.all(dim=-1",
    },
)


wrong(
    "mask_after_softmax",
    why=(
        "You set weights to 0 after the softmax, so a row no longer sums to 1; "
        "masked keys must leave the sum as well, by a score of −∞ before the "
        "softmax."
    ),
    change={
        "torch.softmax(scores + added, dim=-1)": (
            "torch.softmax(scores, dim=-1).masked_fill(~mask, 0.0)"
        )
    },
)


wrong(
    "masked_scores_zero",
    why=(
        "You set masked scores to 0, and exp(0) = 1 is a weight like any "
        "other; a score of −∞ has the exponential 0."
    ),
    change={"scores + added": "scores.masked_fill(~mask, 0.0)"},
)


wrong(
    "mask_ignored",
    why="The mask makes no difference to your result.",
    change={"if mask is None:": "if True:"},
)


wrong(
    "minus_1e9",
    why=(
        "You filled with −10⁹ in place of −∞. A query whose every key is "
        "masked then attends to all of them evenly, for equal scores cancel; "
        "it must get zeros. And an allowed score may be lower still."
    ),
    change={
        "scores + added": "scores.masked_fill(~mask, -1e9)",
        "found.masked_fill(alone, 0.0)": "found",
    },
)


wrong(
    "minus_1e4",
    why=(
        "You filled with −10⁴ in place of −∞: scores below that are possible, "
        "and then the masked key wins."
    ),
    change={
        "scores + added": "scores.masked_fill(~mask, -1e4)",
        "found.masked_fill(alone, 0.0)": "found",
    },
)


wrong(
    "nan_without_keys",
    why=(
        "A query whose every key is masked has only scores of −∞, and its "
        "softmax is 0/0, which is NaN; it must get zeros."
    ),
    change={
        "additive_mask(mask | alone)": "additive_mask(mask)",
        "found.masked_fill(alone, 0.0)": "found",
    },
)


wrong(
    "nan_in_the_gradient",
    why=(
        "You replaced the NaN after the softmax: the values are right, but the "
        "gradient still passes through the NaN. Give such a row finite scores "
        "before the softmax."
    ),
    change={
        "additive_mask(mask | alone)": "additive_mask(mask)",
        "torch.softmax(scores + added, dim=-1)": (
            "torch.nan_to_num(torch.softmax(scores + added, dim=-1))"
        ),
        "found.masked_fill(alone, 0.0)": "found",
    },
)


wrong(
    "exp_overflows",
    why=(
        "exp of a score in the thousands is infinite, and ∞/∞ is NaN; subtract "
        "the largest score of each row first, as `torch.softmax` does."
    ),
    change={
        "torch.softmax(scores, dim=-1) @": (
            "(scores.exp() / scores.exp().sum(dim=-1, keepdim=True)) @"
        )
    },
    corner=True,
)


wrong(
    "causal_unasked",
    why="Nobody asked for a causal mask: without a mask every query sees every key.",
    change={
        "        return torch.softmax(scores, dim=-1) @ value": (
            "        past = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()\n"
            "        scores = scores.masked_fill(~past, -math.inf)\n"
            "        return torch.softmax(scores, dim=-1) @ value"
        )
    },
)


wrong(
    "rows_for_sequences",
    why=(
        "A mask of two axes has a row for each query. You read it as a row for each sequence, "
        "because there are as many; a mask of that kind comes as (batch, 1, keys)."
    ),
    change={
        "    alone = ~mask": (
            "    if mask.dim() == 2 and scores.dim() == 3 and len(mask) == len(scores):\n"
            "        mask = mask[:, None]\n"
            "    alone = ~mask"
        )
    },
    corner=True,
)


@wrong(why="Your code knows no batch axis, or one; `@` and `transpose(-2, -1)` take any number.")
def one_batch_axis_at_most(query, key, value, mask=None):
    if query.shape[-1] != key.shape[-1] or key.shape[-2] != value.shape[-2]:
        raise ValueError("sizes do not fit")
    if mask is not None and mask.dtype != torch.bool:
        raise ValueError("a mask is bool")
    single = query.dim() == 2
    if single:
        query, key, value = query[None], key[None], value[None]
    scores = torch.bmm(query, key.transpose(1, 2)) / math.sqrt(query.shape[-1])
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    weights = torch.softmax(scores.masked_fill(~mask, -math.inf), -1).masked_fill(~mask, 0.0)
    found = torch.bmm(weights, value)
    return found[0] if single else found
