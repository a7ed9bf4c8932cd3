"""Right and wrong answers to `transformer.MultiHeadAttention`."""

import math

import torch
from torch import nn

from grader.author.answers import equivalent, right, wrong
from solutions.transformer import RMSNorm, rotary


@right
class weights_always(nn.Module):
    def __init__(
        self,
        embed_dim,
        num_heads,
        *,
        kv_heads=None,
        rotary_base=None,
        qk_norm=False,
        bias=True,
        device=None,
    ):
        super().__init__()
        kv_heads = kv_heads or num_heads
        if embed_dim % num_heads != 0 or num_heads % kv_heads != 0:
            raise ValueError("heads do not divide")
        self.d_k = embed_dim // num_heads
        self.num_heads, self.group = num_heads, num_heads // kv_heads
        self.query = nn.Linear(embed_dim, embed_dim, bias, device)
        self.key = nn.Linear(embed_dim, kv_heads * self.d_k, bias, device)
        self.value = nn.Linear(embed_dim, kv_heads * self.d_k, bias, device)
        self.output = nn.Linear(embed_dim, embed_dim, bias, device)
        self.base, self.qk_norm = rotary_base, qk_norm
        if qk_norm:
            self.query_norm = RMSNorm(self.d_k, device=device)
            self.key_norm = RMSNorm(self.d_k, device=device)

    def forward(
        self, query, memory=None, mask=None, *, is_causal=False, need_weights=False, cache=None
    ):
        if memory is None:
            memory = query
        q = self.query(query).unflatten(-1, (-1, self.d_k)).movedim(-2, -3)
        k = self.key(memory).unflatten(-1, (-1, self.d_k)).movedim(-2, -3)
        v = self.value(memory).unflatten(-1, (-1, self.d_k)).movedim(-2, -3)
        if self.qk_norm:
            q, k = self.query_norm(q), self.key_norm(k)
        if self.base is not None:
            start = cache.length if cache is not None else 0
            q = rotary(q, start + torch.arange(q.shape[-2], device=q.device), base=self.base)
            k = rotary(k, start + torch.arange(k.shape[-2], device=k.device), base=self.base)
        if cache is not None:
            k, v = cache.extend(k, v)
        k = k.repeat_interleave(self.group, -3)
        v = v.repeat_interleave(self.group, -3)
        scores = q @ k.mT * self.d_k**-0.5
        keys, queries = k.shape[-2], q.shape[-2]
        allowed = torch.ones(queries, keys, dtype=torch.bool, device=q.device)
        if is_causal:
            allowed = allowed.tril(keys - queries)
        if mask is not None:
            allowed = allowed & mask
        if allowed.dim() > 2:
            allowed = allowed[..., None, :, :]
        weights = scores.masked_fill(~allowed, -math.inf).softmax(-1).masked_fill(~allowed, 0.0)
        found = self.output((weights @ v).movedim(-3, -2).flatten(-2))
        return (found, weights) if need_weights else found


@right
class head_by_head(nn.Module):
    def __init__(
        self,
        embed_dim,
        num_heads,
        *,
        kv_heads=None,
        rotary_base=None,
        qk_norm=False,
        bias=True,
        device=None,
    ):
        super().__init__()
        kv_heads = num_heads if kv_heads is None else kv_heads
        if embed_dim % num_heads or num_heads % kv_heads:
            raise ValueError("heads do not divide")
        self.d_k, self.num_heads, self.kv_heads = embed_dim // num_heads, num_heads, kv_heads
        sizes = {
            "query": embed_dim,
            "key": kv_heads * self.d_k,
            "value": kv_heads * self.d_k,
            "output": embed_dim,
        }
        for name, size in sizes.items():
            self.add_module(name, nn.Linear(embed_dim, size, bias=bias, device=device))
        self.query_norm = RMSNorm(self.d_k, device=device) if qk_norm else None
        self.key_norm = RMSNorm(self.d_k, device=device) if qk_norm else None
        self.rotary_base = rotary_base

    def forward(
        self, query, memory=None, mask=None, *, is_causal=False, need_weights=False, cache=None
    ):
        memory = query if memory is None else memory
        queries = list(self.query(query).split(self.d_k, dim=-1))
        keys = list(self.key(memory).split(self.d_k, dim=-1))
        values = list(self.value(memory).split(self.d_k, dim=-1))
        if self.query_norm is not None:
            queries = [self.query_norm(q) for q in queries]
            keys = [self.key_norm(k) for k in keys]
        before = 0
        if cache is not None:
            before = cache.length
        if self.rotary_base is not None:
            at = torch.arange(before, before + query.shape[-2], device=query.device)
            of = torch.arange(before, before + memory.shape[-2], device=query.device)
            queries = [rotary(q, at, base=self.rotary_base) for q in queries]
            keys = [rotary(k, of, base=self.rotary_base) for k in keys]
        if cache is not None:
            k, v = cache.extend(torch.stack(keys, -3), torch.stack(values, -3))
            keys, values = list(k.unbind(-3)), list(v.unbind(-3))
        length = keys[0].shape[-2]
        at = torch.arange(length - query.shape[-2], length, device=query.device)
        allowed = torch.ones(query.shape[-2], length, dtype=torch.bool, device=query.device)
        if is_causal:
            allowed = torch.arange(length, device=query.device) <= at[:, None]
        allowed = allowed if mask is None else torch.logical_and(allowed, mask)
        found, seen = [], []
        for head, q in enumerate(queries):
            group = head // (self.num_heads // self.kv_heads)
            scores = torch.einsum("...qd,...kd->...qk", q, keys[group]) / math.sqrt(self.d_k)
            weights = torch.where(allowed, scores, -math.inf).softmax(dim=-1)
            weights = torch.where(allowed, weights, 0.0)
            found.append(weights @ values[group])
            seen.append(weights)
        output = self.output(torch.cat(found, dim=-1))
        return (output, torch.stack(seen, dim=-3)) if need_weights else output


wrong(
    "mask_without_the_axis_of_heads",
    why=(
        "A mask (batch, Q, K) is aligned with scores (batch, heads, Q, K) from the end, so its "
        "batch axis is taken for the heads. Insert a head axis."
    ),
    change={"mask = _for_heads(mask)": "mask = mask"},
)


wrong(
    "never_causal",
    why="`is_causal=True` makes no difference to your result.",
    change={
        "if is_causal and (mask is not None or need_weights or queries < keys):": (
            "is_causal = False\n        if is_causal:"
        )
    },
)


wrong(
    "causal_alone",
    why="A causal call ignores the mask that is passed in; both must allow a key.",
    change={"past if mask is None else mask & past": "past"},
)


wrong(
    "masks_joined_by_or",
    why="You joined the two masks with `|`. Both must allow a key: use `&`.",
    change={"mask & past": "mask | past"},
)


wrong(
    "causal_from_the_first_key",
    why=(
        "With fewer queries than keys, your first query sees only the first key. The queries are "
        "the *last* positions: after a cache, a new token sees all of it."
    ),
    change={
        "causal_mask(keys, device=q.device)[keys - queries :]": (
            "causal_mask(keys, device=q.device)[:queries]"
        )
    },
)


wrong(
    "memory_ignored",
    why="Keys and values come from the memory if there is one; you computed them from the query.",
    change={"memory = query if memory is None else memory": "memory = query"},
)


wrong(
    "queries_from_the_memory",
    why=(
        "Queries come from `query` and keys from the memory; you computed the queries from the "
        "memory."
    ),
    change={
        "split_heads(self.query(query), self.num_heads)": (
            "split_heads(self.query(memory[..., -query.shape[-2] :, :] + 0 * "
            "query.sum()), self.num_heads)"
        )
    },
)


wrong(
    "groups_repeated_as_a_whole",
    why=(
        "You repeated the shared heads as 0, 1, 0, 1. Neighbors share, 0, 0, 1, 1; otherwise "
        "queries meet the keys of another group."
    ),
    change={
        "repeat_heads(part, self.num_heads // self.kv_heads)": (
            "torch.cat([part] * (self.num_heads // self.kv_heads), dim=-3)"
        )
    },
)


wrong(
    "keys_in_groups_and_values_not",
    why=(
        "The values have as few heads as the keys; you did not make the projection of the values "
        "smaller."
    ),
    change={
        "self.value = nn.Linear(embed_dim, self.kv_heads * d_k, **made)": (
            "self.value = nn.Linear(embed_dim, embed_dim, **made)"
        ),
        "v = split_heads(self.value(memory), self.kv_heads)": (
            "v = split_heads(self.value(memory), self.num_heads)[..., : self.kv_heads, :, :]"
        ),
    },
)


wrong(
    "normalized_across_heads",
    why=(
        "You normalized all features before they were split. Normalize each head separately: "
        "otherwise a head with long queries shortens those of the others."
    ),
    change={
        "q = self.query_norm(split_heads(self.query(query), self.num_heads))": (
            "q = self.query(query)\n"
            "        q = q * (q.square().mean(-1, keepdim=True) + 1e-6).rsqrt() if "
            "isinstance(self.query_norm, RMSNorm) else q\n"
            "        q = split_heads(q, self.num_heads) * getattr(self.query_norm, 'weight', 1)"
        )
    },
)


wrong(
    "keys_not_normalized",
    why="You normalized only the queries, so a long key still wins by its length.",
    change={
        "self.key_norm(split_heads(self.key(memory), self.kv_heads))": (
            "split_heads(self.key(memory), self.kv_heads)"
        )
    },
)


wrong(
    "one_norm_for_both",
    why="Queries and keys have separate norms; you used that of the queries twice.",
    change={"k = self.key_norm(": "k = self.query_norm("},
)


wrong(
    "values_normalized",
    why=(
        "You normalized the values, too. Only the scores need the norms; the values are passed on "
        "as they are."
    ),
    change={
        "v = split_heads(self.value(memory), self.kv_heads)": (
            "v = self.key_norm(split_heads(self.value(memory), self.kv_heads))"
        )
    },
)


wrong(
    "values_turned",
    why=(
        "You rotated the values, too. The content that is passed on then depends on its position, "
        "and no query undoes that rotation."
    ),
    change={
        "        if cache is not None:\n            k, v = cache.extend(k, v)": (
            "        if self.rotary_base is not None:\n"
            "            at = torch.arange(before, before + v.shape[-2])\n"
            "            v = rotary(v, at, base=self.rotary_base)\n"
            "        if cache is not None:\n            k, v = cache.extend(k, v)"
        )
    },
)


wrong(
    "turned_before_the_split",
    why=(
        "You rotated all features together, before they were split: each head then has different "
        "rates, and pairs reach across heads."
    ),
    change={
        "        before = 0 if cache is None else cache.length\n": (
            "        before = 0 if cache is None else cache.length\n"
            "        if self.rotary_base is not None:\n"
            "            at = torch.arange(before, before + q.shape[-2])\n"
            "            of = torch.arange(before, before + k.shape[-2])\n"
            "            q = split_heads(rotary(merge_heads(q), at, "
            "base=self.rotary_base), self.num_heads)\n"
            "            k = split_heads(rotary(merge_heads(k), of, "
            "base=self.rotary_base), self.kv_heads)\n"
        ),
        "        if self.rotary_base is not None:\n            q, k = (": (
            "        if False:\n            q, k = ("
        ),
    },
)


wrong(
    "keys_not_turned",
    why="You rotated only the queries: the scores then depend on the query's position alone.",
    change={
        "        if cache is not None:\n            k, v = cache.extend(k, v)": (
            "        k = self.key_norm(split_heads(self.key(memory), self.kv_heads))\n"
            "        if cache is not None:\n            k, v = cache.extend(k, v)"
        )
    },
)


wrong(
    "turned_before_the_norm",
    why=(
        "You rotated first and normalized afterward. The norm's γ then scales coordinates that "
        "have been mixed, and scores no longer depend on the distance alone."
    ),
    change={
        "q = self.query_norm(split_heads(self.query(query), self.num_heads))": (
            "q = split_heads(self.query(query), self.num_heads)"
        ),
        "k = self.key_norm(split_heads(self.key(memory), self.kv_heads))": (
            "k = split_heads(self.key(memory), self.kv_heads)"
        ),
        "        if cache is not None:\n            k, v = cache.extend(k, v)": (
            "        q, k = self.query_norm(q), self.key_norm(k)\n"
            "        if cache is not None:\n            k, v = cache.extend(k, v)"
        ),
    },
)


wrong(
    "position_of_the_cache_forgotten",
    why=(
        "You count new positions from 0 although others are cached: the new token is rotated as if "
        "it were the first."
    ),
    change={"before = 0 if cache is None else cache.length": "before = 0"},
)


wrong(
    "cache_position_off_by_one",
    why=(
        "With n positions cached, the next one is number n, because counting starts at 0; you used "
        "n + 1, so all distances to cached positions are one too large."
    ),
    change={
        "before = 0 if cache is None else cache.length": (
            "before = 0 if cache is None else cache.length + 1"
        )
    },
)


wrong(
    "cache_unused",
    why="You extended the cache, but attended only to the new positions.",
    change={"k, v = cache.extend(k, v)": "cache.extend(k, v)"},
)


wrong(
    "weights_averaged",
    why=(
        "You returned the mean of the heads' weights, as `nn.MultiheadAttention` does by default. "
        "Heads attend to different positions, and a mean shows none of them."
    ),
    change={
        "return self.output(merge_heads(weights @ v)), weights": (
            "return self.output(merge_heads(weights @ v)), weights.mean(dim=-3)"
        )
    },
)


wrong(
    "weights_swapped",
    why="Return the output first and the weights second; you returned them in the other order.",
    change={
        "return self.output(merge_heads(weights @ v)), weights": (
            "return weights, self.output(merge_heads(weights @ v))"
        )
    },
)


wrong(
    "no_output_projection",
    why="W_O is missing: it combines the results of the heads.",
    change={
        "return self.output(merge_heads(found))": "return merge_heads(found)",
        "return self.output(merge_heads(weights @ v)), weights": (
            "return merge_heads(weights @ v), weights"
        ),
    },
)


wrong(
    "heads_merged_by_reshape",
    why=(
        "You merged the heads without moving the position axis before the head axis, which mixes "
        "positions."
    ),
    change={
        "return self.output(merge_heads(found))": "return self.output(found.reshape(query.shape))",
        "return self.output(merge_heads(weights @ v)), weights": (
            "return self.output((weights @ v).reshape(query.shape)), weights"
        ),
    },
)


wrong(
    "bias_not_asked_for",
    why="`nn.Linear` has a bias by default; pass on `bias`.",
    change={'made = {"bias": bias, "device": device}': 'made = {"device": device}'},
)


equivalent(
    "before = 1 if cache is None else cache.length",
    why="turns see distances alone: all positions may be counted from 1",
)
equivalent(
    "if is_causal and (mask is not None or need_weights or ((queries) <= (keys))):",
    why="the mask that is made then says what is_causal says",
)


wrong(
    "rates_passed_over",
    why="`rotary_base` may hold the rates themselves; you used a base of 10000 instead.",
    change={
        "self.rotary_base = rotary_base": (
            "self.rotary_base = 1e4 if isinstance(rotary_base, Sequence) else rotary_base"
        )
    },
)


wrong(
    "weights_in_evaluation_alone",
    why="Return the weights whenever they are asked for, in training mode, too.",
    change={"if not need_weights:": "if not need_weights or self.training:"},
)


wrong(
    "a_number_for_infinity",
    why=(
        "You set masked scores to a large negative number. An allowed score may be smaller still, "
        "and then the masked keys get weight. Use −∞, which is below every score."
    ),
    change={
        "        if not need_weights:  # the fast path: one kernel, which keeps no weights\n": (
            "        if mask is not None and not need_weights:\n"
            "            scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5\n"
            "            scores = scores.masked_fill(~mask, -1e9).softmax(dim=-1)\n"
            "            return self.output(merge_heads(scores.masked_fill(~mask, 0.0) @ v))\n"
            "        if not need_weights:\n"
        )
    },
    corner=True,
)


wrong(
    "empty_cache_not_extended",
    why=(
        "You ignored an empty cache, so it never gets its first keys and each call starts over. "
        "Call `extend` whenever there is a cache, even an empty one."
    ),
    change={
        "        if cache is not None:\n            k, v = cache.extend(k, v)": (
            "        if before:\n            k, v = cache.extend(k, v)"
        )
    },
    corner=True,
)
