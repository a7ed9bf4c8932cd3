"""Efficient attention: the cost of a table of T × T scores, and methods that avoid it.

Builds a KV cache, exact attention in tiles with its backward pass, a sliding window, linear and
low-rank attention, a gated linear recurrence by parallel scan, a diagonal state-space model as
recurrence and as convolution, and a test of recall.

Sources: Shazeer 2019, "Fast Transformer Decoding"; Ainslie et al. 2023, "GQA"; Milakov and
Gimelshein 2018, "Online Normalizer Calculation for Softmax"; Dao et al. 2022, "FlashAttention";
Beltagy et al. 2020, "Longformer"; Katharopoulos et al. 2020, "Transformers Are RNNs"; Wang et al.
2020, "Linformer"; Blelloch 1990, "Prefix Sums and Their Applications"; Martin and Cundy 2018,
"Parallelizing Linear Recurrent Neural Nets"; Gu et al. 2022, "On the Parameterization and
Initialization of Diagonal State Space Models"; Orvieto et al. 2023, "Resurrecting Recurrent Neural
Networks for Long Sequences".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from solutions.self_attention import scaled_dot_product_attention

Cache = tuple[Tensor, Tensor]


# What is kept while a text is written


def cache_numbers(length: int, *, layers: int, key_heads: int, d_k: int, d_v: int) -> int:
    """Count the numbers that a decoder keeps for one sequence: a key and a value per position.

    Queries are used once and not kept, so only the heads of keys and values count.

    Args:
        length: positions T so far.
        layers: layers of attention; each keeps its own keys and values.
        key_heads: heads of keys, and of values, in each layer.
        d_k: size of one head's key.
        d_v: size of one head's value.

    Returns:
        The count.
    """
    return length * layers * key_heads * (d_k + d_v)


def band_mask(
    queries: int,
    keys: int,
    *,
    window: int | None = None,
    device: torch.device | str | None = None,
) -> Tensor:
    """Mask for the last positions of a sequence: each may attend to itself and to the past.

    The keys stand at positions 0 to keys − 1, the queries at the last of these: query i at position
    keys − queries + i. With a window, a query sees at most that many keys: its own and those right
    before it.

    Args:
        queries: number of queries, at most ``keys``.
        keys: number of keys.
        window: largest number of keys that a query sees, 1 or more; None for all up to its own.
        device: where the mask goes.

    Returns:
        (queries, keys) bool; True may attend.

    Raises:
        ValueError: there are more queries than keys.
    """
    if queries > keys:
        raise ValueError(f"the queries are the last of the keys, got {queries} of {keys}")
    at = torch.arange(keys - queries, keys, device=device)[:, None]  # (Q, 1)
    key_at = torch.arange(keys, device=device)  # (K,)
    past = key_at <= at  # (Q, K)
    return past if window is None else past & (key_at > at - window)


def extend_cache(
    cache: Sequence[Tensor] | None, key: Tensor, value: Tensor, *, window: int | None = None
) -> tuple[Cache, Cache]:
    """Append new keys and values to the cached ones.

    Args:
        cache: keys (..., kept, d_k) and values (..., kept, d_v) of earlier positions; None at the
            start.
        key: keys of the new positions, (..., new, d_k) float.
        value: their values, (..., new, d_v) float.
        window: largest number of keys that a query sees, its own included. The next
            query then needs only the last window − 1 positions, and only these are kept. None
            keeps all.

    Returns:
        Two pairs of keys and values. The first is for the queries of the new positions: all cached
        positions, then the new ones. The second is the cache for the next call, detached from the
        graph: no gradient flows into the past.
    """
    if cache is not None:
        key, value = torch.cat([cache[0], key], dim=-2), torch.cat([cache[1], value], dim=-2)
    first = 0 if window is None else max(0, key.shape[-2] - (window - 1))
    return (key, value), (key[..., first:, :].detach(), value[..., first:, :].detach())


class CachedAttention(nn.Module):
    """Causal multi-head self-attention that can continue from a cache.

    Query head i attends to the keys and values of key head i // (heads / key_heads). So each query
    head has its own key head, or a group of query heads shares one (Ainslie et al. 2023), or all
    share one (Shazeer 2019). Features of one head lie side by side, head after head.

    Args:
        embed_dim: features D of each position.
        heads: query heads; d_k = d_v = embed_dim / heads.
        key_heads: heads of keys and values; None for as many as query heads.
        window: largest number of keys that a query sees, its own included; None for all of the
            past.
        device: where the parameters go.

    Attributes:
        query: ``nn.Linear`` with ``weight`` (embed_dim, embed_dim), no bias.
        key: ``nn.Linear`` with ``weight`` (key_heads · d_k, embed_dim), no bias.
        value: ``nn.Linear`` with ``weight`` (key_heads · d_k, embed_dim), no bias.
        out: ``nn.Linear`` with ``weight`` (embed_dim, embed_dim), no bias.

    Raises:
        ValueError: heads does not divide embed_dim, or key_heads does not divide heads.
    """

    def __init__(
        self,
        embed_dim: int,
        *,
        heads: int,
        key_heads: int | None = None,
        window: int | None = None,
        device: torch.device | str | None = None,
    ) -> None:
        super().__init__()
        key_heads = heads if key_heads is None else key_heads
        if embed_dim % heads or heads % key_heads:
            raise ValueError(
                f"heads must divide embed_dim and key_heads must divide heads, got embed_dim "
                f"{embed_dim}, heads {heads}, key_heads {key_heads}"
            )
        self.heads, self.key_heads, self.window = heads, key_heads, window
        shared = embed_dim // heads * key_heads
        self.query = nn.Linear(embed_dim, embed_dim, bias=False, device=device)
        self.key = nn.Linear(embed_dim, shared, bias=False, device=device)
        self.value = nn.Linear(embed_dim, shared, bias=False, device=device)
        self.out = nn.Linear(embed_dim, embed_dim, bias=False, device=device)

    def forward(self, x: Tensor, cache: Sequence[Tensor] | None = None) -> tuple[Tensor, Cache]:
        """Let new positions attend to cached positions, and to each other causally.

        Args:
            x: the new positions, (B, T, embed_dim) float.
            cache: the cache that the previous call returned, of 0 or more positions; None at the
                start of a sequence.

        Returns:
            (B, T, embed_dim), and the keys and values that `extend_cache` keeps, each
            (B, key_heads, kept, d_k).
        """
        query = self.query(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)  # (B, heads, T, d_k)
        key, value = (
            layer(x).unflatten(-1, (self.key_heads, -1)).transpose(1, 2)
            for layer in (self.key, self.value)
        )
        (key, value), cache = extend_cache(cache, key, value, window=self.window)
        mask = band_mask(query.shape[-2], key.shape[-2], window=self.window, device=x.device)
        key, value = (
            part.repeat_interleave(self.heads // self.key_heads, dim=1) for part in (key, value)
        )
        found = scaled_dot_product_attention(query, key, value, mask)
        return self.out(found.transpose(1, 2).flatten(-2)), cache


class CachedDecoder(nn.Module):
    """A small language model that can continue from a cache.

    Embeddings of tokens and learned positions are added; each layer adds attention and then two
    linear layers with a GELU between them, both on normalized input.

    Args:
        tokens: size of the vocabulary.
        embed_dim: features of each position.
        longest: number of learned positions.
        layers: number of layers.
        heads: query heads in each layer.
        key_heads: heads of keys and values; None for as many as query heads.
    """

    def __init__(
        self,
        tokens: int,
        embed_dim: int,
        *,
        longest: int,
        layers: int,
        heads: int,
        key_heads: int | None = None,
    ) -> None:
        super().__init__()
        self.token = nn.Embedding(tokens, embed_dim)
        self.position = nn.Embedding(longest, embed_dim)
        self.attention = nn.ModuleList(
            CachedAttention(embed_dim, heads=heads, key_heads=key_heads) for _ in range(layers)
        )
        self.hidden = nn.ModuleList(
            nn.Sequential(
                nn.LayerNorm(embed_dim),
                nn.Linear(embed_dim, 4 * embed_dim),
                nn.GELU(),
                nn.Linear(4 * embed_dim, embed_dim),
            )
            for _ in range(layers)
        )
        self.norm = nn.ModuleList(nn.LayerNorm(embed_dim) for _ in range(layers + 1))
        self.head = nn.Linear(embed_dim, tokens)

    def forward(
        self, tokens: Tensor, cache: list[Cache] | None = None
    ) -> tuple[Tensor, list[Cache]]:
        """Read new tokens, which follow the cached ones.

        Args:
            tokens: (B, T) int64.
            cache: the cache that the previous call returned; None at the start of a text.

        Returns:
            Logits of the token after each, (B, T, V), and the cache of all positions so far.
        """
        past = 0 if cache is None else cache[0][0].shape[-2]
        at = torch.arange(past, past + tokens.shape[1], device=tokens.device)
        x, kept = self.token(tokens) + self.position(at), []
        for index, (attention, hidden) in enumerate(zip(self.attention, self.hidden, strict=True)):
            found, own = attention(self.norm[index](x), None if cache is None else cache[index])
            x = x + found
            x = x + hidden(x)
            kept.append(own)
        return self.head(self.norm[-1](x)), kept


def continue_greedily(
    model: Callable[[Tensor, Any], tuple[Tensor, Any]], tokens: Tensor, steps: int
) -> Tensor:
    """Continue a text with the most likely token each time, and read no position twice.

    Args:
        model: maps tokens (B, n) and a cache (None at the start) to logits of the token after
            each, (B, n, V), and the cache for the next call.
        tokens: the prompt, (B, T) int64, T at least 1.
        steps: tokens to generate, 0 or more.

    Returns:
        (B, steps) int64, only the new tokens. The model reads at most T + steps − 1 positions of
        each sequence: the last new token is not read.
    """
    written, cache = tokens[:, :0], None
    for _ in range(steps):
        logits, cache = model(tokens, cache)
        tokens = logits[:, -1].argmax(dim=-1, keepdim=True)  # (B, 1)
        written = torch.cat([written, tokens], dim=1)
    return written


# Exact, in tiles


def absorb(
    maximum: Tensor, total: Tensor, output: Tensor, scores: Tensor, value: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Add more keys to a softmax that has already begun.

    For the keys so far, with scores zⱼ and values vⱼ, each query has three results: the
    maximum ẑ = max zⱼ, the total Σ exp(zⱼ − ẑ), and the output Σ exp(zⱼ − ẑ) vⱼ, not yet divided.
    Compute the three for old and new keys together. If the maximum grows to ẑ', multiply the old
    total and output by exp(ẑ − ẑ'), as Milakov and Gimelshein (2018) do with the total.

    Args:
        maximum: ẑ, (..., Q) float; −∞ for a query that has had no key yet.
        total: (..., Q) float.
        output: (..., Q, d_v) float.
        scores: of the new keys, (..., Q, K) float, K at least 1; −∞ for masked keys. If a row is
            all −∞, nothing changes for its query.
        value: of the new keys, (..., K, d_v) float.

    Returns:
        The new maximum, total and output, of the same shapes. For a query without an allowed key
        they are −∞, 0 and 0. No gradient is needed: `tiled_backward` computes it.
    """
    larger = torch.maximum(maximum, scores.amax(dim=-1))
    base = larger.masked_fill(larger == -math.inf, 0.0)  # −∞ − (−∞) would be NaN
    weights = torch.exp(scores - base[..., None])  # (..., Q, K)
    scale = torch.exp(maximum - base)
    return (
        larger,
        scale * total + weights.sum(dim=-1),
        scale[..., None] * output + weights @ value,
    )


def tiles(
    queries: int, keys: int, *, block: int, causal: bool, device: torch.device | None = None
) -> Iterator[tuple[slice, slice, Tensor | None]]:
    """Cut a table of scores into tiles, and leave out those that lie wholly in the future.

    Args:
        queries: rows of the table. If causal, they are the last of the keys, as in `band_mask`.
        keys: columns of the table.
        block: rows and columns of a tile; fewer at the edges.
        causal: whether a query sees only its own position and the past.
        device: where masks go.

    Yields:
        Rows, columns, and the mask (rows, columns) of a tile, or None if all of it is allowed. Rows
        come in order, and for each the columns in order.
    """
    past = keys - queries
    for top in range(0, queries, block):
        bottom = min(top + block, queries)
        for left in range(0, past + bottom if causal else keys, block):
            right = min(left + block, keys)
            mask = None
            if causal and right > past + top + 1:
                at = torch.arange(past + top, past + bottom, device=device)[:, None]
                mask = torch.arange(left, right, device=device) <= at
            yield slice(top, bottom), slice(left, right), mask


def tiled_forward(
    query: Tensor, key: Tensor, value: Tensor, *, block: int, causal: bool = False
) -> tuple[Tensor, Tensor]:
    """Exact attention, one tile of the scores at a time.

    softmax(Q Kᵀ / √d_k) V without ever holding more than block × block scores of each sequence and
    head (Dao et al. 2022, algorithm 1), on the device of the inputs.

    Args:
        query: (..., Q, d_k) float.
        key: (..., K, d_k) float, K at least 1.
        value: (..., K, d_v) float.
        block: rows and columns of a tile, 1 or more; need not divide Q or K.
        causal: whether a query sees only its own position and the past. The queries are then the
            last of the keys: query i stands at position K − Q + i.

    Returns:
        (..., Q, d_v), the output of attention; and (..., Q), the logarithm of Σⱼ exp(score) over
        all keys that a query sees, which the backward pass needs.
    """
    output = query.new_zeros(*query.shape[:-1], value.shape[-1])
    total = query.new_zeros(query.shape[:-1])
    maximum = torch.full_like(total, -math.inf)
    query = query / math.sqrt(query.shape[-1])
    cuts = tiles(query.shape[-2], key.shape[-2], block=block, causal=causal, device=query.device)
    for rows, columns, mask in cuts:
        scores = query[..., rows, :] @ key[..., columns, :].transpose(-2, -1)
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        maximum[..., rows], total[..., rows], output[..., rows, :] = absorb(
            maximum[..., rows],
            total[..., rows],
            output[..., rows, :],
            scores,
            value[..., columns, :],
        )
    return output / total[..., None], maximum + total.log()


def tiled_backward(
    grad: Tensor,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    output: Tensor,
    log_total: Tensor,
    *,
    block: int,
    causal: bool = False,
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of `tiled_forward`, one tile at a time; the weights are computed again.

    Let Z be the scores, P = exp(Z − log_total) the weights and G the gradient of the output. The
    gradient of V is Pᵀ G, and that of Z is P ⊙ (G Vᵀ − r) with rᵢ = Gᵢ · Oᵢ, one number per query.
    With Z = Q Kᵀ / √d_k, those of Q and K follow (Dao et al. 2022, algorithm 4). All tensors stay
    on the device of the inputs.

    Args:
        grad: G, (..., Q, d_v) float.
        query: (..., Q, d_k) float.
        key: (..., K, d_k) float.
        value: (..., K, d_v) float.
        output: O, the output of the forward pass, (..., Q, d_v).
        log_total: the logarithms from the forward pass, (..., Q).
        block: rows and columns of a tile; need not divide Q or K.
        causal: as in the forward pass. Scores of the future may be of any size.

    Returns:
        The gradients of query, key and value, in their shapes.
    """
    root = math.sqrt(query.shape[-1])
    grads = [torch.zeros_like(part) for part in (query, key, value)]
    grad_query, grad_key, grad_value = grads
    row_sums = (grad * output).sum(dim=-1, keepdim=True)  # (..., Q, 1)
    cuts = tiles(query.shape[-2], key.shape[-2], block=block, causal=causal, device=query.device)
    for rows, columns, mask in cuts:
        q, k, v = query[..., rows, :], key[..., columns, :], value[..., columns, :]
        weights = torch.exp(q @ k.transpose(-2, -1) / root - log_total[..., rows, None])
        if mask is not None:
            weights = weights.masked_fill(~mask, 0.0)
        g = grad[..., rows, :]
        slope = weights * (g @ v.transpose(-2, -1) - row_sums[..., rows, :]) / root
        grad_query[..., rows, :] += slope @ k
        grad_key[..., columns, :] += slope.transpose(-2, -1) @ q
        grad_value[..., columns, :] += weights.transpose(-2, -1) @ g
    return grad_query, grad_key, grad_value


class _Tiled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, query, key, value, block, causal):
        output, log_total = tiled_forward(query, key, value, block=block, causal=causal)
        ctx.save_for_backward(query, key, value, output, log_total)
        ctx.settings = {"block": block, "causal": causal}
        return output

    @staticmethod
    @once_differentiable
    def backward(ctx, grad):
        return *tiled_backward(grad, *ctx.saved_tensors, **ctx.settings), None, None


def tiled_attention(
    query: Tensor, key: Tensor, value: Tensor, *, block: int = 128, causal: bool = False
) -> Tensor:
    """Exact attention whose memory grows with T and not with T², forward and backward.

    Args:
        query: (..., Q, d_k) float.
        key: (..., K, d_k) float, with the same leading dimensions.
        value: (..., K, d_v) float, with the same leading dimensions.
        block: rows and columns of a tile.
        causal: whether a query sees only its own position and the past; the queries are the last
            of the keys.

    Returns:
        (..., Q, d_v).
    """
    return _Tiled.apply(query, key, value, block, causal)


# Less than everything


def window_attention(query: Tensor, key: Tensor, value: Tensor, *, window: int) -> Tensor:
    """Causal attention to the last few positions, at a cost that grows with T · window.

    Position t attends to positions t − window + 1 to t, as far as they exist: softmax(Q Kᵀ / √d_k)
    V over these keys (the local part of Beltagy et al. 2020). The table of T × T scores is never
    computed, and all tensors are on the device of the inputs.

    Args:
        query: (..., T, d_k) float.
        key: (..., T, d_k) float.
        value: (..., T, d_v) float.
        window: largest number of keys that a query sees, its own included; 1 or more, and it need
            not divide T.

    Returns:
        (..., T, d_v).
    """
    length = query.shape[-2]
    window = min(window, max(length, 1))  # or it would pay for keys that are not there
    blocks = -(-length // window)  # a query sees keys of its own block and of the one before
    after = blocks * window - length
    query = F.pad(query, (0, 0, 0, after)).unflatten(-2, (blocks, window))
    key, value = (
        F.pad(part, (0, 0, window, after)).unflatten(-2, (blocks + 1, window))
        for part in (key, value)
    )  # (..., blocks + 1, window, features), the first of zeros
    key, value = (
        torch.cat([part[..., :-1, :, :], part[..., 1:, :, :]], dim=-2) for part in (key, value)
    )  # (..., blocks, 2 window, features)
    mask = band_mask(window, 2 * window, window=window, device=query.device)
    first = torch.arange(blocks, device=query.device)[:, None, None] == 0
    padding = torch.arange(2 * window, device=query.device) < window
    found = scaled_dot_product_attention(query, key, value, mask & ~(first & padding))
    return found.flatten(-3, -2)[..., :length, :]


def low_rank_attention(
    query: Tensor, key: Tensor, value: Tensor, project_key: Tensor, project_value: Tensor
) -> Tensor:
    """Attention to a few mixtures of the positions instead of all of them.

    softmax(Q (R_K K)ᵀ / √d_k) R_V V: R_K and R_V mix the T keys and values into R rows each (Wang
    et al. 2020, eq. 7). Every row mixes all positions, so this is not causal.

    Args:
        query: (..., Q, d_k) float.
        key: (..., T, d_k) float.
        value: (..., T, d_v) float.
        project_key: R_K, (R, T) float.
        project_value: R_V, (R, T) float.

    Returns:
        (..., Q, d_v).
    """
    return scaled_dot_product_attention(query, project_key @ key, project_value @ value)


# Linear in T


def feature_map(x: Tensor) -> Tensor:
    """Map to positive features: φ(x) = elu(x) + 1 (Katharopoulos et al. 2020, eq. 7).

    Args:
        x: float, any shape.

    Returns:
        The same shape.
    """
    return F.elu(x) + 1


def linear_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Attention whose score is a dot product of features, so that keys can be summed first.

    Σⱼ (φ(q)·φ(kⱼ)) vⱼ / Σⱼ φ(q)·φ(kⱼ), over all keys, with φ(x) = elu(x) + 1 (Katharopoulos et
    al. 2020, eq. 5). In the right order of the products this takes about 2 T d_k d_v multiply-adds,
    and no table of T × T. Nothing is added to the divisor.

    Args:
        query: (..., Q, d_k) float.
        key: (..., K, d_k) float.
        value: (..., K, d_v) float.

    Returns:
        (..., Q, d_v). The output of a query whose divisor rounds to 0 is undefined. This happens if
        its entries, or those of all keys, lie far below 0.
    """
    query, key = feature_map(query), feature_map(key)
    state = key.transpose(-2, -1) @ value  # (..., d_k, K) x (..., K, d_v) -> (..., d_k, d_v)
    total = key.sum(dim=-2)[..., None]  # (..., d_k, 1)
    return (query @ state) / (query @ total)


def linear_attention_step(
    state: Tensor, total: Tensor, query: Tensor, key: Tensor, value: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """One step of causal linear attention as a recurrent network.

    A ← A + φ(k) vᵀ and a ← a + φ(k), then the output φ(q)ᵀ A / φ(q)·a, with φ(x) = elu(x) + 1
    (Katharopoulos et al. 2020, eq. 16 to 20). A position sees itself. Nothing is added to the
    divisor.

    Args:
        state: A before the step, (..., d_k, d_v) float; zeros at the start.
        total: a before the step, (..., d_k) float; zeros at the start.
        query: of this position, (..., d_k) float.
        key: of this position, (..., d_k) float.
        value: of this position, (..., d_v) float.

    Returns:
        The output (..., d_v), and A and a after the step. If the divisor rounds to 0, the output is
        undefined.
    """
    query, key = feature_map(query), feature_map(key)
    state = state + key[..., :, None] * value[..., None, :]
    total = total + key
    found = (query[..., None, :] @ state)[..., 0, :]  # (..., 1, d_k) x (..., d_k, d_v)
    return found / (query * total).sum(dim=-1, keepdim=True), state, total


def causal_linear_attention(
    query: Tensor, key: Tensor, value: Tensor, *, block: int = 64
) -> Tensor:
    """Causal linear attention: parallel inside a block, recurrent from block to block.

    Position t gets Σⱼ (φ(q_t)·φ(kⱼ)) vⱼ / Σⱼ φ(q_t)·φ(kⱼ) over j ≤ t, with φ(x) = elu(x) + 1. With
    blocks of one position it is the recurrence, with a single block the parallel form; any size
    gives the same result. Nothing is added to the divisor. No tensor has T × T or T × d_k × d_v
    numbers.

    Args:
        query: (..., T, d_k) float.
        key: (..., T, d_k) float.
        value: (..., T, d_v) float.
        block: positions of a block, 1 or more; need not divide T.

    Returns:
        (..., T, d_v), on the device of the inputs. If a position's divisor rounds to 0, its output
        is undefined.
    """
    query, key = feature_map(query), feature_map(key)
    value = torch.cat([value, torch.ones_like(value[..., :1])], dim=-1)  # its sum is the divisor
    state = query.new_zeros(key.shape[-1], value.shape[-1])  # of each sequence, once it is added to
    found = []
    for q, k, v in zip(*(part.split(block, dim=-2) for part in (query, key, value)), strict=True):
        inside = (q @ k.transpose(-2, -1)).tril()  # (..., block, block)
        found.append(q @ state + inside @ v)
        state = state + k.transpose(-2, -1) @ v
    sums = torch.cat(found, dim=-2)
    return sums[..., :-1] / sums[..., -1:]


# Recurrences that need not wait


def combine(first: Sequence[Tensor], second: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
    """Combine two steps of a linear recurrence into one.

    A pair (f, x) stands for the step h → f ⊙ h + x. The ``first`` step comes before the ``second``.

    Args:
        first: f and x of the earlier step, of one shape, float.
        second: f and x of the later step, of the same shape.

    Returns:
        f and x of one step that is equivalent to both.
    """
    return first[0] * second[0], second[0] * first[1] + second[1]


def parallel_scan(decay: Tensor, x: Tensor, state: Tensor | None = None) -> Tensor:
    """All states of a linear recurrence, in a number of rounds that grows with log T.

    h_t = f_t ⊙ h_{t−1} + x_t. Neighbors are combined to T/2 double steps, these are scanned in the
    same way, and their results fill the gaps: about 2 T combinations in 2 log₂ T rounds (Blelloch
    1990; for networks Martin and Cundy 2018). Scans with no more rounds but more combinations are
    accepted, too. No table of T × T is made. For 500 steps at most 400 lines of Python may run,
    fewer than a loop over the steps needs.

    Args:
        decay: f, (..., T, H) float, T at least 1. Any numbers, also zero and negative ones.
        x: (..., T, H) float.
        state: h before the first step, (..., H); None for zeros.

    Returns:
        (..., T, H), the state after every step.
    """
    if state is not None:
        first = x[..., :1, :] + decay[..., :1, :] * state[..., None, :]
        x = torch.cat([first, x[..., 1:, :]], dim=-2)
    length = x.shape[-2]
    if length == 1:
        return x
    even, odd = ((decay[..., k::2, :], x[..., k::2, :]) for k in (0, 1))
    half = length // 2
    double = combine([part[..., :half, :] for part in even], odd)
    at_odd = parallel_scan(*double)  # (..., T/2, H): the states after steps 1, 3, 5, ...
    before = at_odd[..., : length - half - 1, :]  # what steps 2, 4, ... begin with
    at_even = torch.cat([x[..., :1, :], even[0][..., 1:, :] * before + even[1][..., 1:, :]], dim=-2)
    states = torch.empty_like(x)
    states[..., 0::2, :], states[..., 1::2, :] = at_even, at_odd
    return states


class GatedRecurrence(nn.Module):
    """A recurrent layer whose gates depend only on the input, so that it can be scanned.

    f_t = σ(W_f x_t + b_f), h_t = f_t ⊙ h_{t−1} + (1 − f_t) ⊙ (W_g x_t + b_g), and the output
    y_t = W_y (σ(W_o x_t + b_o) ⊙ h_t) + b_y (after Martin and Cundy 2018, with the output gate of
    an LSTM).

    Args:
        embed_dim: features D of each position.
        hidden: features H of the state.
        device: where the parameters go.

    Attributes:
        gate: W_f and b_f, ``nn.Linear`` with ``weight`` (hidden, embed_dim) and ``bias`` (hidden,).
        candidate: W_g and b_g, ``nn.Linear`` with ``weight`` (hidden, embed_dim) and ``bias``
            (hidden,).
        read: the output gate, W_o and b_o, ``nn.Linear`` with ``weight`` (hidden, embed_dim) and
            ``bias`` (hidden,).
        out: W_y and b_y, ``nn.Linear`` with ``weight`` (embed_dim, hidden) and ``bias``
            (embed_dim,).
    """

    def __init__(
        self, embed_dim: int, hidden: int, *, device: torch.device | str | None = None
    ) -> None:
        super().__init__()
        self.gate = nn.Linear(embed_dim, hidden, device=device)
        self.candidate = nn.Linear(embed_dim, hidden, device=device)
        self.read = nn.Linear(embed_dim, hidden, device=device)
        self.out = nn.Linear(hidden, embed_dim, device=device)

    def forward(self, x: Tensor, state: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Process sequences.

        Args:
            x: (B, T, embed_dim) float, T at least 1. For 500 steps at most 450 lines of Python may
                run besides torch's own, fewer than a loop over the steps needs.
            state: h before the first step, (B, hidden); None for zeros.

        Returns:
            (B, T, embed_dim), and the state after the last step, (B, hidden).
        """
        forget = torch.sigmoid(self.gate(x))
        states = parallel_scan(forget, (1 - forget) * self.candidate(x), state)
        return self.out(torch.sigmoid(self.read(x)) * states), states[:, -1]


def discretize(rate: Tensor, frequency: Tensor, step: Tensor) -> tuple[Tensor, Tensor]:
    """Turn a linear differential equation into a recurrence.

    dh/dt = s h + x with s = −ν + iω, where x is constant during a step of length Δ, becomes
    h_t = f h_{t−1} + g x_t with f = exp(Δ s) and g = (f − 1) / s, without an error (the zero-order
    hold; Gu et al. 2022).

    Args:
        rate: ν > 0, how fast the state decays, (D, H) float.
        frequency: ω, how fast it rotates, (D, H) float.
        step: Δ > 0, (D,) float.

    Returns:
        f and g, both (D, H) complex.
    """
    s = torch.complex(-rate, frequency)
    f = torch.exp(step[:, None] * s)
    return f, (f - 1) / s


def ssm_recurrence(
    x: Tensor, rate: Tensor, frequency: Tensor, step: Tensor, weight: Tensor
) -> Tensor:
    """A diagonal state-space model, one step after the other.

    Each of the D features has H separate complex states, initially zero: h_t = f ⊙ h_{t−1} + g x_t
    with f and g of `discretize`; y_t is the real part of Σ w h_t over the states.

    Args:
        x: (B, T, D) float, T at least 1.
        rate: ν, (D, H) float.
        frequency: ω, (D, H) float.
        step: Δ, (D,) float.
        weight: w, real and imaginary part, (D, H, 2) float.

    Returns:
        (B, T, D) float, on the device of the inputs.
    """
    f, g = discretize(rate, frequency, step)
    w = torch.complex(weight[..., 0], weight[..., 1])
    h, outputs = torch.zeros_like(f), []
    for now in x.unbind(dim=1):
        h = f * h + g * now[..., None]  # (B, D, H)
        outputs.append((w * h).sum(dim=-1).real)
    return torch.stack(outputs, dim=1)


def ssm_kernel(
    rate: Tensor, frequency: Tensor, step: Tensor, weight: Tensor, *, length: int
) -> Tensor:
    """Kernel of a diagonal state-space model: its response to a single 1 at time 0.

    k_t is the real part of Σ w fᵗ g over the states, with f and g of `discretize`. The model's
    output for any input is its convolution with this kernel.

    Args:
        rate: ν, (D, H) float.
        frequency: ω, (D, H) float.
        step: Δ, (D,) float.
        weight: w, real and imaginary part, (D, H, 2) float.
        length: times t = 0 to length − 1; 1 or more.

    Returns:
        (D, length) float, on the device of the inputs. If f rounds to 0, the kernel is undefined.
    """
    f, g = discretize(rate, frequency, step)
    w = torch.complex(weight[..., 0], weight[..., 1])
    powers = f[..., None] ** torch.arange(length, device=f.device)  # (D, H, length)
    return torch.einsum("dh,dht->dt", w * g, powers).real


def causal_convolution(x: Tensor, kernel: Tensor) -> Tensor:
    """Convolve every feature with a kernel as long as the sequence, in time T log T.

    y_t = Σ_{j ≤ t} k_j x_{t−j}, by the fast Fourier transform, which turns a convolution into a
    product. The transform treats both as periodic, so both are padded with zeros to 2 T first.

    Args:
        x: (B, T, D) float.
        kernel: (D, T) float.

    Returns:
        (B, T, D).
    """
    length = x.shape[1]
    spectrum = torch.fft.rfft(x, 2 * length, dim=1)  # (B, T + 1, D)
    answer = torch.fft.rfft(kernel, 2 * length).T  # (T + 1, D)
    return torch.fft.irfft(spectrum * answer, 2 * length, dim=1)[:, :length]


# What they are measured with


class _Largest(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.numbers = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        made = func(*args, **(kwargs or {}))
        given = {
            value.untyped_storage()._cdata
            for value in tree_leaves((args, kwargs))
            if isinstance(value, Tensor)
        }
        for value in tree_leaves(made):
            if isinstance(value, Tensor) and value.untyped_storage()._cdata not in given:
                self.numbers = max(self.numbers, value.numel())
        return made


def largest_tensor(function: Callable[[], object]) -> int:
    """Count the numbers in the largest tensor that torch makes during a call.

    Args:
        function: called once, without arguments.

    Returns:
        The count of numbers in it. A view makes none.
    """
    with _Largest() as seen:
        function()
    return seen.numbers


def recall_batch(
    pairs: int, batch: int, *, symbols: int, generator: torch.Generator | None = None
) -> tuple[Tensor, Tensor, Tensor]:
    """Associative recall: pairs of a key and a value, then every key again, in another order.

    A position has a key and a value. The first ``pairs`` positions have distinct keys, and values
    sampled uniformly. The others have one of these keys each, and the symbol ``symbols``, which
    stands for unknown, as value.

    Args:
        pairs: number of pairs, at most ``symbols``.
        batch: sequences B.
        symbols: number of distinct keys, and of distinct values.
        generator: of the random numbers, on the CPU.

    Returns:
        Keys and values, (B, 2 pairs) int64, and the values that are asked for, (B, pairs) int64.
    """
    scores = torch.rand(batch, symbols, generator=generator)
    keys = scores.argsort(dim=1)[:, :pairs]
    values = torch.randint(symbols, (batch, pairs), generator=generator)
    order = torch.rand(batch, pairs, generator=generator).argsort(dim=1)
    unknown = torch.full_like(values, symbols)
    return (
        torch.cat([keys, keys.gather(1, order)], dim=1),
        torch.cat([values, unknown], dim=1),
        values.gather(1, order),
    )
