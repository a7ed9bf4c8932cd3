"""Right and wrong answers to `efficient_attention.CachedAttention`."""

import math

import torch
from torch import nn

from grader.author.answers import right, wrong
from solutions.efficient_attention import band_mask, extend_cache


@right
class one_group_at_a_time(nn.Module):
    def __init__(self, embed_dim, *, heads, key_heads=None, window=None, device=None):
        super().__init__()
        groups = key_heads or heads
        if embed_dim % heads != 0:
            raise ValueError("embed_dim")
        if heads % groups != 0:
            raise ValueError("key_heads")
        self.groups, self.size, self.window = groups, embed_dim // heads, window
        place = {"bias": False, "device": device}
        self.query = nn.Linear(embed_dim, embed_dim, **place)
        self.key = nn.Linear(embed_dim, self.size * groups, **place)
        self.value = nn.Linear(embed_dim, self.size * groups, **place)
        self.out = nn.Linear(embed_dim, embed_dim, **place)

    def forward(self, x, cache=None):
        batch, length, features = x.shape
        query = self.query(x).reshape(batch, length, self.groups, -1, self.size)
        key = self.key(x).reshape(batch, length, self.groups, self.size).permute(0, 2, 1, 3)
        value = self.value(x).reshape(batch, length, self.groups, self.size).permute(0, 2, 1, 3)
        (key, value), kept = extend_cache(cache, key, value, window=self.window)
        mask = band_mask(length, key.shape[2], window=self.window, device=x.device)
        found = []
        for group in range(self.groups):
            scores = torch.einsum("btnd,bkd->bntk", query[:, :, group], key[:, group])
            scores = (scores / math.sqrt(self.size)).masked_fill(~mask, -math.inf)
            answer = torch.einsum("bntk,bkd->btnd", scores.softmax(-1), value[:, group])
            found.append(answer.reshape(batch, length, -1))
        return self.out(torch.cat(found, dim=-1)), kept


@right
class groups_by_broadcasting(nn.Module):
    def __init__(self, embed_dim, *, heads, key_heads=None, window=None, device=None):
        super().__init__()
        key_heads = key_heads or heads
        if embed_dim % heads or heads % key_heads:
            raise ValueError("heads")
        self.window, self.d = window, embed_dim // heads
        self.shape = (key_heads, heads // key_heads)
        for name, rows in (
            ("query", embed_dim),
            ("key", key_heads * self.d),
            ("value", key_heads * self.d),
            ("out", embed_dim),
        ):
            setattr(self, name, nn.Linear(embed_dim, rows, bias=False, device=device))

    def forward(self, x, cache=None):
        q = self.query(x).unflatten(-1, (*self.shape, self.d)).permute(0, 2, 3, 1, 4)
        k = self.key(x).unflatten(-1, (-1, self.d)).transpose(1, 2)
        v = self.value(x).unflatten(-1, (-1, self.d)).transpose(1, 2)
        past = 0 if cache is None else cache[0].shape[2]
        if past:
            k, v = torch.cat([cache[0], k], dim=2), torch.cat([cache[1], v], dim=2)
        places = torch.arange(k.shape[2], device=x.device)
        back = places[past:, None] - places
        hidden = back < 0
        if self.window is not None:
            hidden |= back >= self.window
        scores = q @ k[:, :, None].transpose(-2, -1) * self.d**-0.5
        weights = scores.masked_fill(hidden, float("-inf")).softmax(dim=-1)
        found = (weights @ v[:, :, None]).permute(0, 3, 1, 2, 4).flatten(2)
        if self.window is not None:
            start = max(0, k.shape[2] - self.window + 1)
            k, v = k[:, :, start:], v[:, :, start:]
        return self.out(found), (k.detach(), v.detach())


wrong(
    "cache_not_read",
    why="You return the cache but never read it: every call starts a new text.",
    change={"extend_cache(cache, key,": "extend_cache(None, key,"},
)


wrong(
    "queries_at_the_start",
    why=(
        "Your mask puts the new queries at positions 0, 1, 2, …. They come after all cached "
        "positions, and may attend to them."
    ),
    change={
        "mask = band_mask(query.shape[-2], key.shape[-2], window=self.window, device=x.device)": (
            "mask = band_mask(key.shape[-2], key.shape[-2], window=self.window, "
            "device=x.device)[: query.shape[-2]]"
        )
    },
)


wrong(
    "no_mask_behind_a_cache",
    why=(
        "After a cache you mask nothing. That is right for one new token; of several, all but the "
        "last would see later ones."
    ),
    change={
        "found = scaled_dot_product_attention(query, key, value, mask)": (
            "found = scaled_dot_product_attention(query, key, value, "
            "mask if query.shape[-2] == key.shape[-2] else None)"
        )
    },
)


wrong(
    "groups_interleaved",
    why=(
        "Query head i took key head i mod key_heads. Heads of a group are neighbors: use "
        "repeat_interleave, not repeat."
    ),
    change={
        "part.repeat_interleave(self.heads // self.key_heads, dim=1)": (
            "part.repeat(1, self.heads // self.key_heads, 1, 1)"
        )
    },
)


wrong(
    "repeated_keys_kept",
    why=(
        "You repeated the keys for their groups before caching them. The output is right, but the "
        "cache is as large as if no heads were shared."
    ),
    change={
        "        (key, value), cache = extend_cache": (
            "        key = key.repeat_interleave(self.heads // self.key_heads, dim=1)\n"
            "        value = value.repeat_interleave(self.heads // self.key_heads, dim=1)\n"
            "        (key, value), cache = extend_cache"
        ),
        "part.repeat_interleave(self.heads // self.key_heads, dim=1) for part": "part for part",
    },
)


wrong(
    "viewed_into_heads",
    why=(
        "`reshape` to (B, heads, T, d_k) cuts the numbers in memory order and mixes positions with "
        "heads: split the features first, then move the axis."
    ),
    change={
        "self.query(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)": (
            "self.query(x).reshape(len(x), self.heads, x.shape[1], -1)"
        )
    },
)


wrong(
    "window_in_the_mask_alone",
    why=(
        "The mask has the window, but the cache grows without limit: drop keys that no query will "
        "see again."
    ),
    change={
        "extend_cache(cache, key, value, window=self.window)": "extend_cache(cache, key, value)"
    },
)


wrong(
    "window_in_the_cache_alone",
    why=(
        "You cut the cache to the window, but not the mask: with several new tokens at once, later "
        "ones see farther back than the window."
    ),
    change={
        "key.shape[-2], window=self.window, device=x.device)": "key.shape[-2], device=x.device)"
    },
)


wrong(
    "heads_not_put_side_by_side",
    why=(
        "You merged the heads without swapping the axes back first: rows of the output mix "
        "positions."
    ),
    change={"found.transpose(1, 2).flatten(-2)": "found.reshape(x.shape)"},
)


wrong(
    "no_projection_of_the_output",
    why="The output projection `out` is missing: it combines the results of the heads.",
    change={"self.out(found.transpose(1, 2).flatten(-2))": "found.transpose(1, 2).flatten(-2)"},
)


wrong(
    "heads_not_checked",
    why="Raise a ValueError for heads that do not divide evenly, as the docstring says.",
    change={"if embed_dim % heads or heads % key_heads:": "if embed_dim % heads:"},
    corner=True,
)


wrong(
    "goes_on_by_itself",
    why=(
        "The layer keeps the last cache and continues from it when it gets a single token without "
        "one; without a cache, start a new sequence."
    ),
    change={
        "(key, value), cache = extend_cache(cache,": (
            "if cache is None and x.shape[1] == 1:\n"
            "            cache = getattr(self, 'kept', None)\n"
            "        (key, value), cache = extend_cache(cache,"
        ),
        "        mask = band_mask(": "        self.kept = cache\n        mask = band_mask(",
    },
    corner=True,
)


wrong(
    "a_number_for_infinity",
    why=(
        "You set scores of the future to a large negative number. An allowed score may be smaller "
        "still, and then the future gets weight. Use −∞, which is below every score."
    ),
    change={
        "        found = scaled_dot_product_attention(query, key, value, mask)\n": (
            "        scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5\n"
            "        found = scores.masked_fill(~mask, -1e9).softmax(dim=-1) @ value\n"
        )
    },
    corner=True,
)


wrong(
    "minus_zero_kept",
    why=(
        "With a window of 1, no position is kept, but `[-0:]` is the whole tensor: compute the "
        "index of the first position to keep instead."
    ),
    change={
        "        (key, value), cache = extend_cache(cache, key, value, window=self.window)\n": (
            "        (key, value), _ = extend_cache(cache, key, value)\n"
            "        last = key.shape[-2] if self.window is None else self.window - 1\n"
            "        cache = key[:, :, -last:].detach(), value[:, :, -last:].detach()\n"
        )
    },
    corner=True,
)
