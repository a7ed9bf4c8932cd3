"""Right and wrong answers to `attention.dot_score`."""

import torch

from grader.author.answers import right, wrong


@right
def with_einsum(query, key, *, scaled=False):
    if query.shape[-1] != key.shape[-1]:
        raise ValueError("queries and keys are of two sizes")
    scores = torch.einsum("...qd,...kd->...qk", query, key)
    return scores * query.shape[-1] ** -0.5 if scaled else scores


@right
def products_summed(query, key, *, scaled=False):
    width = query.size(-1)
    if width != key.size(-1):
        raise ValueError("sizes differ")
    if scaled:
        query = query / width**0.5
    return (query.unsqueeze(-2) * key.unsqueeze(-3)).sum(-1)


wrong(
    "always_scaled",
    why="You always divided by √d; do so only if `scaled` is True.",
    change={"if scaled else scores": "if True else scores"},
)


wrong(
    "never_scaled",
    why="`scaled` makes no difference to your result.",
    change={"if scaled else scores": "if False else scores"},
)


wrong(
    "scaled_by_d",
    why=(
        "You divided by d. A sum of d products of variance 1 has the variance d, so its standard "
        "deviation is √d: divide by that."
    ),
    change={"math.sqrt(query.shape[-1])": "query.shape[-1]"},
)


wrong(
    "scaled_by_keys",
    why="You divided by the root of the number of keys; a score is a sum over the d features.",
    change={"math.sqrt(query.shape[-1])": "math.sqrt(key.shape[-2])"},
)


wrong(
    "keys_reshaped",
    why=(
        "`reshape` keeps the numbers in their order and only splits the rows elsewhere; rows of "
        "keys must become columns, with `transpose(-2, -1)`."
    ),
    change={"key.transpose(-2, -1)": "key.reshape(*key.shape[:-2], key.shape[-1], key.shape[-2])"},
)


wrong(
    "keys_by_queries",
    why="Your result has a row per key; each query scores all keys, so rows are queries.",
    change={"query @ key.transpose(-2, -1)": "key @ query.transpose(-2, -1)"},
)


wrong(
    "cosine",
    why=(
        "You divided by the lengths, which gives the cosine; in a dot product a long key scores "
        "more."
    ),
    change={
        "query @ key.transpose(-2, -1)": (
            "(query / query.norm(dim=-1, keepdim=True)) "
            "@ (key / key.norm(dim=-1, keepdim=True)).transpose(-2, -1)"
        )
    },
)


wrong(
    "first_axes_transposed",
    why="`transpose(0, 1)` swaps a batch axis; count from the end: `transpose(-2, -1)`.",
    change={"key.transpose(-2, -1)": "key.transpose(0, 1)"},
)


wrong(
    "cut_to_one_size",
    why="If queries and keys differ in size, you dropped features; raise an error instead.",
    change={
        "if query.shape[-1] != key.shape[-1]:": (
            "least = min(query.shape[-1], key.shape[-1])\n"
            "    query, key = query[..., :least], key[..., :least]\n"
            "    if query.shape[-1] != key.shape[-1]:"
        )
    },
    corner=True,
)
