"""Right and wrong answers to `self_attention.SelfAttention`."""

import math

import torch
from torch import nn

from grader.author.answers import right, wrong
from solutions.self_attention import causal_mask, scaled_dot_product_attention


@right
class one_product_for_all_three(nn.Module):
    def __init__(self, embed_dim, *, d_k, d_v, causal=False, bias=False, device=None):
        super().__init__()
        for name, size in (("query", d_k), ("key", d_k), ("value", d_v)):
            self.add_module(name, nn.Linear(embed_dim, size, bias, device))
        self.causal = causal

    def forward(self, x, mask=None):
        allowed = torch.ones(x.shape[-2], x.shape[-2], dtype=torch.bool, device=x.device)
        if self.causal:
            allowed = allowed.tril()
        if mask is not None:
            allowed = allowed & mask
        parts = [self.query, self.key, self.value]
        weight = torch.cat([part.weight for part in parts])
        bias = None if self.query.bias is None else torch.cat([part.bias for part in parts])
        q, k, v = torch.nn.functional.linear(x, weight, bias).split(
            [part.out_features for part in parts], dim=-1
        )
        scores = torch.einsum("...qd,...kd->...qk", q, k) / q.shape[-1] ** 0.5
        weights = scores.masked_fill(~allowed, -math.inf).softmax(-1).masked_fill(~allowed, 0.0)
        return weights @ v


class Projection(nn.Module):
    def __init__(self, size_in, size_out, bias, device):
        super().__init__()
        drawn = torch.rand(size_out, size_in + 1, device=device) * 2 - 1
        drawn = drawn / size_in**0.5
        self.weight = nn.Parameter(drawn[:, :-1].clone())
        self.register_parameter("bias", nn.Parameter(drawn[:, -1].clone()) if bias else None)


@right
class projections_of_its_own(nn.Module):
    def __init__(self, embed_dim, *, d_k, d_v, causal=False, bias=False, device=None):
        super().__init__()
        self.query = Projection(embed_dim, d_k, bias, device)
        self.key = Projection(embed_dim, d_k, bias, device)
        self.value = Projection(embed_dim, d_v, bias, device)
        self.causal = causal

    def forward(self, x, mask=None):
        projected = []
        for part in (self.query, self.key, self.value):
            out = x @ part.weight.transpose(0, 1)
            projected.append(out if part.bias is None else out + part.bias)
        masks = [] if mask is None else [mask]
        if self.causal:
            masks.append(causal_mask(x.shape[-2], device=x.device))
        both = None
        for each in masks:
            both = each if both is None else torch.logical_and(both, each)
        return scaled_dot_product_attention(*projected, mask=both)


wrong(
    "query_and_key_swapped",
    why=(
        "Queries and keys changed places: row i must hold how much position i attends to each j, "
        "not how much each j attends to i."
    ),
    change={"self.query(x), self.key(x)": "self.key(x), self.query(x)"},
)


wrong(
    "one_projection_for_both",
    why=(
        "The keys are made with the query's weights. What a word looks for and "
        "what it can be found by are two different things, hence two "
        "projections."
    ),
    change={"self.query(x), self.key(x)": "self.query(x), self.query(x)"},
)


wrong(
    "values_not_projected",
    why=("The input itself is averaged; the values are its third projection, of size d_v."),
    change={"self.value(x)": "x"},
)


wrong(
    "bias_not_asked_for",
    why=(
        "`nn.Linear` has a bias unless you pass bias=False; pass on `bias`, which is "
        "False by default here."
    ),
    change={
        "self.query = nn.Linear(embed_dim, d_k, bias=bias, device=device)": (
            "self.query = nn.Linear(embed_dim, d_k)"
        ),
        "self.key = nn.Linear(embed_dim, d_k, bias=bias, device=device)": (
            "self.key = nn.Linear(embed_dim, d_k)"
        ),
        "self.value = nn.Linear(embed_dim, d_v, bias=bias, device=device)": (
            "self.value = nn.Linear(embed_dim, d_v)"
        ),
    },
)


wrong(
    "mask_not_handed_on",
    why=(
        "The mask is built and then not passed to the attention: every position attends to all "
        "others, including the future and the padding."
    ),
    change={"self.value(x), mask)": "self.value(x))"},
)


wrong(
    "never_causal",
    why="`causal=True` makes no difference to your result.",
    change={"if self.causal:": "if False:"},
)


wrong(
    "causal_forgets_the_mask",
    why=("A causal layer ignores the mask it is given; a key must be allowed by both."),
    change={"past if mask is None else mask & past": "past"},
)


wrong(
    "mask_forgets_the_past",
    why=(
        "As soon as there is a mask, your layer is no longer causal; a key must be allowed by both."
    ),
    change={"if self.causal:": "if self.causal and mask is None:"},
)


wrong(
    "masks_joined_by_or",
    why=(
        "You joined the masks with `|`, which allows what *either* allows; "
        "both must, and that is `&`."
    ),
    change={"mask & past": "mask | past"},
)


wrong(
    "scaled_twice",
    why=("The scores are divided by √d_k twice: `scaled_dot_product_attention` does it already."),
    change={"self.query(x)": "self.query(x) / self.query.out_features**0.5"},
)


wrong(
    "input_added",
    why="The input is added to the output; the residual connection is not part of this layer.",
    change={
        "return scaled_dot_product_attention(self.query(x), self.key(x), self.value(x), mask)": (
            "found = scaled_dot_product_attention("
            "self.query(x), self.key(x), self.value(x), mask)\n"
            "        return found + x if found.shape == x.shape else found"
        )
    },
)


wrong(
    "causal_by_default",
    why="A layer is causal when it is asked to be; by default it is not.",
    change={"causal: bool = False": "causal: bool = True"},
)


wrong(
    "mask_of_one_length",
    why="The causal mask is as long as the sequence at hand; yours has one length for all.",
    change={
        "past = causal_mask(x.shape[-2], device=x.device)": (
            "past = causal_mask(11, device=x.device)[: x.shape[-2], : x.shape[-2]]"
        )
    },
)


wrong(
    "mask_kept_between_calls",
    why=(
        "The mask of an earlier call is used again where the lengths are the same; the next batch "
        "has its own mask. Keep the causal mask, if any, and combine the two again in each call."
    ),
    change={
        "mask = past if mask is None else mask & past": (
            "mask = past if mask is None else mask & past\n"
            "            self.kept = getattr(self, 'kept', {})\n"
            "            mask = self.kept.setdefault(x.shape[-2], mask)"
        )
    },
    corner=True,
)


wrong(
    "causal_mask_of_the_first_call",
    why=(
        "The causal mask was made for the length of the first batch and kept; the next batch may "
        "be longer or shorter."
    ),
    change={
        "past = causal_mask(x.shape[-2], device=x.device)": (
            "self.past = getattr(self, 'past', None)\n"
            "            if self.past is None:\n"
            "                self.past = causal_mask(x.shape[-2], device=x.device)\n"
            "            past = self.past"
        )
    },
    corner=True,
)


@wrong(
    why=(
        "Scores that are ruled out were set to a large negative number. An allowed score may be "
        "smaller still, and then the future gets its weight: −∞ is below all of them."
    ),
    corner=True,
)
class a_number_for_infinity(nn.Module):
    def __init__(self, embed_dim, *, d_k, d_v, causal=False, bias=False, device=None):
        super().__init__()
        self.query = nn.Linear(embed_dim, d_k, bias=bias, device=device)
        self.key = nn.Linear(embed_dim, d_k, bias=bias, device=device)
        self.value = nn.Linear(embed_dim, d_v, bias=bias, device=device)
        self.causal = causal

    def forward(self, x, mask=None):
        scores = self.query(x) @ self.key(x).transpose(-2, -1)
        scores = scores / self.query.out_features**0.5
        allowed = torch.ones_like(scores, dtype=torch.bool)
        allowed = allowed.tril() if self.causal else allowed
        allowed = allowed if mask is None else allowed & mask
        weights = scores.masked_fill(~allowed, -1e9).softmax(dim=-1)
        return weights.masked_fill(~allowed, 0.0) @ self.value(x)
