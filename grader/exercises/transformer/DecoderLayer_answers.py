"""Right and wrong answers to `transformer.DecoderLayer`."""

import torch
from torch import nn

from grader.author.answers import right, wrong
from solutions.mlp import SwiGLU
from solutions.self_attention import causal_mask
from solutions.transformer import FeedForward, MultiHeadAttention, RMSNorm


class _Parts(nn.Module):
    def __init__(
        self,
        embed_dim,
        num_heads,
        hidden,
        *,
        norm_first=False,
        activation="relu",
        norm="layer",
        eps=1e-5,
        dropout=0.0,
        bias=True,
        device=None,
        kv_heads=None,
        qk_norm=False,
        rotary_base=None,
    ):
        super().__init__()
        if norm not in ("rms", "layer"):
            raise ValueError(norm)
        make = {"rms": RMSNorm, "layer": nn.LayerNorm}[norm]
        same = {"kv_heads": kv_heads, "qk_norm": qk_norm, "bias": bias, "device": device}
        self.attention = MultiHeadAttention(embed_dim, num_heads, rotary_base=rotary_base, **same)
        self.cross = MultiHeadAttention(embed_dim, num_heads, **same)
        self.feed_forward = (
            SwiGLU(embed_dim, hidden, device=device)
            if activation == "swiglu"
            else FeedForward(embed_dim, hidden, activation=activation, bias=bias, device=device)
        )
        self.attention_norm = make(embed_dim, eps=eps, device=device)
        self.cross_norm = make(embed_dim, eps=eps, device=device)
        self.feed_forward_norm = make(embed_dim, eps=eps, device=device)
        self.p, self.norm_first = dropout, norm_first

    def drop(self, x):
        return torch.nn.functional.dropout(x, self.p, self.training)


@right
class written_out(_Parts):
    def forward(self, x, memory, mask=None, memory_mask=None, *, cache=None):
        if self.norm_first:
            given = self.attention_norm(x)
            x = x + self.drop(self.attention(given, given, mask, is_causal=True, cache=cache))
            x = x + self.drop(self.cross(self.cross_norm(x), memory, memory_mask))
            return x + self.drop(self.feed_forward(self.feed_forward_norm(x)))
        found = self.attention(x, x, mask, is_causal=True, cache=cache)
        x = self.attention_norm(x + self.drop(found))
        x = self.cross_norm(x + self.drop(self.cross(x, memory, memory_mask)))
        return self.feed_forward_norm(x + self.drop(self.feed_forward(x)))


@right
class in_a_loop(_Parts):
    def forward(self, x, memory, mask=None, memory_mask=None, *, cache=None):
        length = x.shape[-2]
        if cache is None:
            past = causal_mask(length, device=x.device)
            mask = past if mask is None else mask & past
        parts = (
            (lambda x: self.attention(x, None, mask, is_causal=True, cache=cache), "attention"),
            (lambda x: self.cross(x, memory=memory, mask=memory_mask), "cross"),
            (self.feed_forward, "feed_forward"),
        )
        for part, name in parts:
            norm = getattr(self, name + "_norm")
            found = self.drop(part(norm(x) if self.norm_first else x))
            x = x + found if self.norm_first else norm(x + found)
        return x


wrong(
    "sees_the_future",
    why=(
        "The self-attention is not causal: in training the layer sees the word that it must "
        "predict, and learns to copy it; in use that word is not there."
    ),
    change={"mask=mask, is_causal=True": "mask=mask"},
)


wrong(
    "cross_attention_causal",
    why=(
        "You made the cross-attention causal, too. The whole source is known from the start, and "
        "its last word may matter for the first word of the translation."
    ),
    change={
        "self.cross(x, memory, memory_mask)": "self.cross(x, memory, memory_mask, is_causal=True)"
    },
)


wrong(
    "memory_asks",
    why=(
        "Queries come from the stream, keys and values from the memory; you did it the other way "
        "around."
    ),
    change={
        "self.cross(x, memory, memory_mask)": (
            "self.cross(memory, x).mean(dim=-2, keepdim=True).expand_as(x)"
        )
    },
)


wrong(
    "memory_normalized",
    why=(
        "You normalized the memory with this layer's norm. The encoder has already normalized it; "
        "only the stream goes through the norm."
    ),
    change={
        "self.cross(x, memory, memory_mask)": "self.cross(x, self.cross_norm(memory), memory_mask)"
    },
)


wrong(
    "masks_swapped",
    why=(
        "You gave the mask of the memory to the self-attention, and the other one to the "
        "cross-attention."
    ),
    change={
        "mask=mask, is_causal=True": (
            "mask=memory_mask if memory_mask is not None and "
            "memory_mask.shape[-1] == x.shape[-2] else mask, is_causal=True"
        ),
        "self.cross(x, memory, memory_mask)": (
            "self.cross(x, memory, mask if mask is not None and "
            "mask.shape[-1] == memory.shape[-2] else memory_mask)"
        ),
    },
)


wrong(
    "memory_mask_not_handed_on",
    why=(
        "The mask of the memory does not reach the cross-attention, so it attends to the padding "
        "of the source."
    ),
    change={"self.cross(x, memory, memory_mask)": "self.cross(x, memory)"},
)


wrong(
    "no_self_attention",
    why="The self-attention is missing, so the layer ignores the words so far.",
    change={
        "lambda x: self.attention(x, mask=mask, is_causal=True, cache=cache)": (
            "lambda x: 0 * self.attention(x, mask=mask, is_causal=True, cache=cache)"
        )
    },
)


wrong(
    "cross_attention_first",
    why="The self-attention comes first, then the cross-attention; you reversed the order.",
    change={
        "        x = _residual(\n            x,\n            lambda x: self.attention": (
            "        look = lambda x: self.cross(x, memory, memory_mask)\n"
            "        x = _residual(x, look, self.cross_norm, self)\n"
            "        x = _residual(\n            x,\n            lambda x: self.attention"
        ),
        (
            "        x = _residual(x, lambda x: self.cross(x, memory, memory_mask), "
            "self.cross_norm, self)\n"
        ): "",
    },
)


wrong(
    "one_norm_for_all",
    why="Each of the three parts has a separate norm; you used the first one for all.",
    change={
        "self.cross(x, memory, memory_mask), self.cross_norm, self)": (
            "self.cross(x, memory, memory_mask), self.attention_norm, self)"
        ),
        "self.feed_forward, self.feed_forward_norm, self)": (
            "self.feed_forward, self.attention_norm, self)"
        ),
    },
)


wrong(
    "memory_turned",
    why=(
        "You gave the cross-attention rotary positions, too. Distances between a position of the "
        "translation and one of the source mean little, so this layer does without them."
    ),
    change={'attention | {"rotary_base": None}': "attention"},
)


wrong(
    "norm_always_after",
    why="`norm_first=True` makes no difference to your result.",
    change={"self.norm_first = norm_first": "self.norm_first = False"},
)
