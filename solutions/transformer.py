"""The Transformer: attention in several heads, positions, residual connections and norms.

Builds multi-head attention and five positional encodings; the encoder and the decoder of 2017; and
a decoder with later changes: root-mean-square norms, gated hidden layers, rotary positions, grouped
queries, normalized queries and keys, tied embeddings.

Sources: Vaswani et al. 2017, "Attention Is All You Need"; Xiong et al. 2020, "On Layer
Normalization in the Transformer Architecture"; Zhang and Sennrich 2019, "Root Mean Square Layer
Normalization"; Su et al. 2021, "RoFormer"; Shazeer 2019, "Fast Transformer Decoding"; Ainslie et
al. 2023, "GQA"; Henry et al. 2020, "Query-Key Normalization for Transformers"; Press and Wolf 2017,
"Using the Output Embedding to Improve Language Models"; Touvron et al. 2023, "LLaMA"; Olsson et al.
2022, "In-context Learning and Induction Heads".
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from solutions.mlp import SwiGLU
from solutions.self_attention import causal_mask, padding_mask, scaled_dot_product_attention

# heads


def split_heads(x: Tensor, num_heads: int) -> Tensor:
    """Split the features of every position into heads, and move the head axis before the positions.

    Head i gets the D/heads features from feature i · D/heads on, in their order.

    Args:
        x: (..., T, D) float.
        num_heads: number of heads; divides D.

    Returns:
        (..., heads, T, D/heads).

    Raises:
        ValueError: D is not a multiple of the number of heads.
    """
    if x.shape[-1] % num_heads:
        raise ValueError(f"{x.shape[-1]} features cannot be shared evenly by {num_heads} heads")
    return x.unflatten(-1, (num_heads, -1)).transpose(-3, -2)  # (..., T, heads, d_k), then swapped


def merge_heads(x: Tensor) -> Tensor:
    """Concatenate the heads of every position: the inverse of `split_heads`.

    Args:
        x: (..., heads, T, d_v) float.

    Returns:
        (..., T, heads · d_v).
    """
    return x.transpose(-3, -2).flatten(-2)  # (..., T, heads, d_v) -> (..., T, D)


def repeat_heads(x: Tensor, times: int) -> Tensor:
    """Let several query heads share one head of keys or values.

    Grouped queries (Ainslie et al. 2023): neighboring heads share. The first ``times`` heads of the
    result are copies of the first head of ``x``, the next ``times`` of its second, and so on.

    Args:
        x: (..., heads, T, d_k) float.
        times: query heads that share each head, 1 or more.

    Returns:
        (..., heads · times, T, d_k).
    """
    return x if times == 1 else x.repeat_interleave(times, dim=-3)


def multi_head_attention(
    x: Tensor,
    memory: Tensor,
    weight_q: Tensor,
    weight_k: Tensor,
    weight_v: Tensor,
    weight_o: Tensor,
    *,
    num_heads: int,
    mask: Tensor | None = None,
) -> Tensor:
    """Attend in several heads at once, each with its own part of the features.

    concat(head_1, ..., head_h) W_Oᵀ, where head_i is scaled dot-product attention whose queries are
    part i of X W_Qᵀ, its keys part i of Z W_Kᵀ and its values part i of Z W_Vᵀ (Vaswani et al.
    2017, section 3.2.2, with the matrices of all heads stacked). The scale is that of one head:
    1/√d_k with d_k = D/heads.

    Args:
        x: X, input of the queries, (..., Q, D) float.
        memory: Z, input of the keys and values, (..., K, D) float; ``x`` itself for self-attention.
        weight_q: W_Q, (D, D) float, outputs first.
        weight_k: W_K, (D, D) float.
        weight_v: W_V, (D, D) float.
        weight_o: W_O, (D, D) float.
        num_heads: how many heads; divides D.
        mask: bool, broadcastable to (..., Q, K), the same for all heads; True may attend.

    Returns:
        (..., Q, D). A query whose every key is masked gets zeros.
    """
    query = split_heads(F.linear(x, weight_q), num_heads)  # (..., Q, D) -> (..., heads, Q, d_k)
    key = split_heads(F.linear(memory, weight_k), num_heads)
    value = split_heads(F.linear(memory, weight_v), num_heads)
    found = scaled_dot_product_attention(query, key, value, _for_heads(mask))
    return F.linear(merge_heads(found), weight_o)


# positions


def sinusoidal(length: int, features: int, *, base: float = 10_000.0) -> Tensor:
    """Sinusoidal positional encoding: positions as waves of many lengths.

    Row t has sin(t / base^{2i/D}) in column 2i and cos(t / base^{2i/D}) in column 2i + 1
    (Vaswani et al. 2017, section 3.5). With an odd D, the last wave has only its sine.

    Args:
        length: positions T, 0 or more.
        features: D, 1 or more.
        base: 2π · base is nearly the longest wavelength, in positions.

    Returns:
        (T, D), in torch's default float.
    """
    rates = base ** (-torch.arange(0, features, 2) / features)  # (⌈D/2⌉,)
    angles = torch.arange(length)[:, None] * rates  # (T, ⌈D/2⌉)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)[:, :features]


def one_hot_positions(x: Tensor, *, longest: int, append: bool) -> Tensor:
    """Mark each position by a single 1, appended to its features or added to them.

    Args:
        x: (..., T, D) float.
        longest: number of positions that get distinct vectors.
        append: True appends ``longest`` features, at position t all 0 except number t; False adds 1
            to feature t at position t.

    Returns:
        (..., T, D + longest) or (..., T, D), of the dtype and on the device of ``x``, which is not
        changed.

    Raises:
        ValueError: T exceeds ``longest``, or with ``append=False``, ``longest`` exceeds D.
    """
    if x.shape[-2] > longest:
        raise ValueError(f"{x.shape[-2]} positions, and only {longest} can be told apart")
    if not append and longest > x.shape[-1]:
        raise ValueError(f"{longest} positions cannot be added to {x.shape[-1]} features")
    width = longest if append else x.shape[-1]
    places = torch.eye(width, dtype=x.dtype, device=x.device)[: x.shape[-2]]  # (T, width)
    if append:
        return torch.cat([x, places.expand(*x.shape[:-1], width)], dim=-1)
    return x + places


def rotary(
    x: Tensor, positions: Tensor | None = None, *, base: float | Sequence[float] = 10_000.0
) -> Tensor:
    """Rotate queries or keys by angles that grow with their position (RoPE).

    For i below d_k/2, features i and i + d_k/2 are the two coordinates of a point, which at
    position t is rotated counterclockwise by the angle t / base^{2i/d_k}. The dot product of a
    rotated query and a rotated key then depends on their positions only through the distance (Su et
    al. 2021, section 3.2, where neighbors 2i and 2i + 1 are paired).

    Args:
        x: (..., T, d_k) float, d_k even.
        positions: t of each row, (T,) int64; None for 0 to T − 1.
        base: 2π · base is nearly the longest wavelength, in positions. Or a sequence of d_k/2
            rates: the angle per position of each pair, in place of 1 / base^{2i/d_k}.

    Returns:
        (..., T, d_k), of the dtype and on the device of ``x``. Angles are computed in float32, or
        in float64 if ``x`` is float64.

    Raises:
        ValueError: d_k is odd.
    """
    if x.shape[-1] % 2:
        raise ValueError(f"rotary positions pair the features, and {x.shape[-1]} is odd")
    if positions is None:
        positions = torch.arange(x.shape[-2], device=x.device)
    half = x.shape[-1] // 2
    exact = torch.promote_types(x.dtype, torch.float32)
    if isinstance(base, Sequence):
        rates = torch.tensor(base, dtype=exact, device=x.device)
    else:
        rates = base ** (-torch.arange(half, dtype=exact, device=x.device) / half)
    angles = positions[:, None] * rates  # (T, d_k/2)
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    first, second = x[..., :half], x[..., half:]
    return torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1)


# masks


def decoder_mask(lengths: Tensor, longest: int) -> Tensor:
    """Mask for a decoder: each position may attend to the past and itself, but not to padding.

    Args:
        lengths: (B,) int64, number of real positions of each sequence; padding comes last.
        longest: positions T of the padded batch.

    Returns:
        (B, T, T) bool on the device of ``lengths``; True may attend. Padded queries may attend to
        the real positions.

    Raises:
        ValueError: a length exceeds ``longest``.
    """
    return causal_mask(longest, device=lengths.device) & padding_mask(lengths, longest)


# layers


class RMSNorm(nn.Module):
    """Divide every vector by its root mean square, and scale its features.

    γ ⊙ x / √(mean(x²) + eps) (Zhang and Sennrich 2019, eq. 4). The division is computed in float32
    if ``x`` is less precise, and its result is cast to the dtype of ``x`` before γ scales it.

    Attributes:
        weight: γ, the parameter (features,), initialized to ones.
    """

    def __init__(
        self, features: int, *, eps: float = 1e-6, device: torch.device | str | None = None
    ) -> None:
        """Create the scale.

        Args:
            features: D.
            eps: added under the root.
            device: where the parameter goes.
        """
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features, device=device))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        """Give every vector the length √D, and scale its features.

        Args:
            x: (..., D) float.

        Returns:
            (..., D).
        """
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        scale = torch.rsqrt(wide.square().mean(dim=-1, keepdim=True) + self.eps)  # (..., 1)
        return self.weight * (wide * scale).to(x.dtype)


class FeedForward(nn.Module):
    """Two linear layers with an activation between them, the same at every position.

    W_2 σ(W_1 x + b_1) + b_2 (Vaswani et al. 2017, eq. 2). σ is ``"relu"``, ``"gelu"`` (exact) or
    ``"relu2"``, the square of ReLU.

    Attributes:
        up: `nn.Linear`, ``up.weight`` (hidden, features), and ``up.bias`` if ``bias`` is True.
        down: `nn.Linear`, ``down.weight`` (features, hidden), and ``down.bias`` likewise.
    """

    def __init__(
        self,
        features: int,
        hidden: int,
        *,
        activation: str = "relu",
        bias: bool = True,
        device: torch.device | str | None = None,
    ) -> None:
        """Make the layers.

        Args:
            features: D, size of the input and of the output.
            hidden: hidden units.
            activation: ``"relu"``, ``"gelu"`` or ``"relu2"``.
            bias: whether the two layers add a bias.
            device: where the parameters go.

        Raises:
            ValueError: there is no such activation.
        """
        super().__init__()
        if activation not in ("relu", "gelu", "relu2"):
            raise ValueError(f"activation must be 'relu', 'gelu' or 'relu2', got {activation!r}")
        self.activation = activation
        self.up = nn.Linear(features, hidden, bias=bias, device=device)
        self.down = nn.Linear(hidden, features, bias=bias, device=device)

    def forward(self, x: Tensor) -> Tensor:
        """Apply the first layer, the activation and the second layer.

        Args:
            x: (..., D) float.

        Returns:
            (..., D).
        """
        hidden = self.up(x)  # (..., D) -> (..., H)
        hidden = F.gelu(hidden) if self.activation == "gelu" else F.relu(hidden)
        return self.down(hidden.square() if self.activation == "relu2" else hidden)


class MultiHeadAttention(nn.Module):
    """Multi-head attention as a layer.

    Like `multi_head_attention`, with biases and three options that came later.

    Grouped queries (``kv_heads``): there are fewer heads of keys and values than of queries, and
    neighboring query heads share one, see `repeat_heads`. Normalized queries and keys
    (``qk_norm``): an `RMSNorm` over d_k features, shared by all heads, normalizes the queries of
    every head, and another one the keys. Rotary positions (``rotary_base``): queries and keys are
    then rotated, see `rotary`.

    Attributes:
        query: `nn.Linear`, ``query.weight`` (embed_dim, embed_dim): W_Q.
        key: `nn.Linear`, ``key.weight`` (kv_heads · d_k, embed_dim): W_K.
        value: `nn.Linear`, ``value.weight`` (kv_heads · d_k, embed_dim): W_V.
        output: `nn.Linear`, ``output.weight`` (embed_dim, embed_dim): W_O. With ``bias``, all four
            have a ``bias``. They are initialized as in `nn.Linear`.
        query_norm: `RMSNorm` of d_k features, if ``qk_norm``.
        key_norm: `RMSNorm` of d_k features, if ``qk_norm``.
    """

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        *,
        kv_heads: int | None = None,
        rotary_base: float | Sequence[float] | None = None,
        qk_norm: bool = False,
        bias: bool = True,
        device: torch.device | str | None = None,
    ) -> None:
        """Make the four projections.

        Args:
            embed_dim: features D of each position.
            num_heads: query heads; d_k = D/heads.
            kv_heads: heads of keys and of values; None for as many as query heads.
            rotary_base: base of rotary positions, or their rates, as in `rotary`; None for no
                rotary positions. Queries and keys are both numbered from 0, even if the memory has
                another length; with a cache, both are numbered from its ``length`` on.
            qk_norm: whether queries and keys are normalized.
            bias: whether the projections add a bias.
            device: where the parameters go.

        Raises:
            ValueError: ``num_heads`` does not divide ``embed_dim``, or ``kv_heads`` does not
                divide ``num_heads``.
        """
        super().__init__()
        self.num_heads, self.kv_heads = num_heads, num_heads if kv_heads is None else kv_heads
        if embed_dim % num_heads or num_heads % self.kv_heads:
            raise ValueError(
                f"kv_heads must divide num_heads, and num_heads embed_dim; got {self.kv_heads}, "
                f"{num_heads} and {embed_dim}"
            )
        d_k = embed_dim // num_heads
        made = {"bias": bias, "device": device}
        self.query = nn.Linear(embed_dim, embed_dim, **made)
        self.key = nn.Linear(embed_dim, self.kv_heads * d_k, **made)
        self.value = nn.Linear(embed_dim, self.kv_heads * d_k, **made)
        self.output = nn.Linear(embed_dim, embed_dim, **made)
        self.query_norm = RMSNorm(d_k, device=device) if qk_norm else nn.Identity()
        self.key_norm = RMSNorm(d_k, device=device) if qk_norm else nn.Identity()
        self.rotary_base = rotary_base

    def forward(
        self,
        query: Tensor,
        memory: Tensor | None = None,
        mask: Tensor | None = None,
        *,
        is_causal: bool = False,
        need_weights: bool = False,
        cache: Any = None,
    ) -> Tensor | tuple[Tensor, Tensor]:
        """Let every position of the query attend to the positions of the memory.

        Args:
            query: input of the queries, (..., Q, D) float.
            memory: input of the keys and values, (..., K, D) float; None for ``query`` itself.
            mask: bool, broadcastable to (..., Q, K), the same for all heads; True may attend.
            is_causal: allow, of the keys that the mask allows, only the past and the present; the
                queries are the last Q of the K positions.
            need_weights: also return the attention weights of each head.
            cache: keys and values of earlier positions. Its ``length`` is the number of positions
                it holds; its ``extend(key, value)`` appends those of the new positions, both
                (..., kv_heads, Q, d_k), and returns all keys and all values. None for no cache.

        Returns:
            (..., Q, D); with ``need_weights`` also the weights, (..., heads, Q, K). A query whose
            every key is masked gets zeros from attention, and so the bias of ``output``.
        """
        memory = query if memory is None else memory
        q = self.query_norm(split_heads(self.query(query), self.num_heads))  # (..., heads, Q, d_k)
        k = self.key_norm(split_heads(self.key(memory), self.kv_heads))  # (..., kv_heads, K, d_k)
        v = split_heads(self.value(memory), self.kv_heads)
        before = 0 if cache is None else cache.length
        if self.rotary_base is not None:
            q, k = (
                rotary(
                    part,
                    torch.arange(before, before + part.shape[-2], device=part.device),
                    base=self.rotary_base,
                )
                for part in (q, k)
            )
        if cache is not None:
            k, v = cache.extend(k, v)
        k, v = (repeat_heads(part, self.num_heads // self.kv_heads) for part in (k, v))
        queries, keys = q.shape[-2], k.shape[-2]
        if is_causal and (mask is not None or need_weights or queries < keys):
            past = causal_mask(keys, device=q.device)[keys - queries :]
            mask, is_causal = past if mask is None else mask & past, False
        mask = _for_heads(mask)
        if not need_weights:  # the fast path: one kernel, which keeps no weights
            found = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=is_causal)
            return self.output(merge_heads(found))
        ask_which = torch.eye(
            keys, dtype=q.dtype, device=q.device
        )  # values that say whose they are
        weights = scaled_dot_product_attention(q, k, ask_which, mask)  # (..., heads, Q, K)
        return self.output(merge_heads(weights @ v)), weights


class EncoderLayer(nn.Module):
    """Self-attention, then a feed-forward network, each around a residual connection.

    With f for either of the two, x ← norm(x + f(x)) (Vaswani et al. 2017, section 3.1); with
    ``norm_first``, x ← x + f(norm(x)) (Xiong et al. 2020, figure 1). Dropout is applied to f's
    result before the addition.

    Attributes:
        attention: `MultiHeadAttention`.
        attention_norm: `nn.LayerNorm`, or `RMSNorm` with ``norm="rms"``.
        feed_forward: `FeedForward`, or `SwiGLU`; None if ``hidden`` is 0.
        feed_forward_norm: like ``attention_norm``; None if ``hidden`` is 0.
    """

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        hidden: int,
        *,
        norm_first: bool = False,
        activation: str = "relu",
        norm: str = "layer",
        eps: float = 1e-5,
        dropout: float = 0.0,
        bias: bool = True,
        device: torch.device | str | None = None,
        **attention: Any,
    ) -> None:
        """Make the parts.

        Args:
            embed_dim: features D of each position.
            num_heads: heads of the attention.
            hidden: units of the feed-forward network; 0 leaves it out.
            norm_first: whether the norm comes before each part instead of after the sum.
            activation: of the feed-forward network, see `FeedForward`; ``"swiglu"`` makes it a
                `SwiGLU`.
            norm: ``"layer"`` or ``"rms"``.
            eps: of the norms.
            dropout: probability that an entry is dropped, in training.
            bias: whether the linear layers have a bias (those of `SwiGLU` never do).
            device: where the parameters go.
            attention: ``kv_heads``, ``rotary_base`` and ``qk_norm`` of `MultiHeadAttention`.

        Raises:
            ValueError: there is no such norm.
        """
        super().__init__()
        self.attention = MultiHeadAttention(
            embed_dim, num_heads, bias=bias, device=device, **attention
        )
        self.attention_norm = _norm(norm, embed_dim, eps, device)
        self.feed_forward = _feed_forward(embed_dim, hidden, activation, bias, device)
        self.feed_forward_norm = _norm(norm, embed_dim, eps, device) if hidden else None
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(
        self,
        x: Tensor,
        mask: Tensor | None = None,
        *,
        is_causal: bool = False,
        need_weights: bool = False,
        cache: Any = None,
    ) -> Tensor | tuple[Tensor, Tensor]:
        """Apply self-attention, then the feed-forward network.

        Args:
            x: (..., T, D) float.
            mask: as in `MultiHeadAttention`.
            is_causal: likewise.
            need_weights: likewise.
            cache: likewise.

        Returns:
            (..., T, D); with ``need_weights`` also the weights, (..., heads, T, K).
        """
        given = self.attention_norm(x) if self.norm_first else x
        found = self.attention(
            given, mask=mask, is_causal=is_causal, need_weights=need_weights, cache=cache
        )
        found, *weights = found if need_weights else (found,)
        x = x + self.dropout(found)
        x = x if self.norm_first else self.attention_norm(x)
        if self.feed_forward is not None:
            x = _residual(x, self.feed_forward, self.feed_forward_norm, self)
        return (x, *weights) if need_weights else x


class DecoderLayer(nn.Module):
    """Causal self-attention, attention to a memory, then a feed-forward network.

    Three parts, each around a residual connection with a norm as in `EncoderLayer` (Vaswani et al.
    2017, figure 1, on the right).

    Attributes:
        attention: `MultiHeadAttention` of the layer's input to itself.
        attention_norm: `nn.LayerNorm`, or `RMSNorm` with ``norm="rms"``.
        cross: `MultiHeadAttention` to the memory, never with rotary positions.
        cross_norm: like ``attention_norm``; it is not applied to the memory.
        feed_forward: `FeedForward`, or `SwiGLU`.
        feed_forward_norm: like ``attention_norm``.
    """

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        hidden: int,
        *,
        norm_first: bool = False,
        activation: str = "relu",
        norm: str = "layer",
        eps: float = 1e-5,
        dropout: float = 0.0,
        bias: bool = True,
        device: torch.device | str | None = None,
        **attention: Any,
    ) -> None:
        """Make the parts.

        Args:
            embed_dim: features D of each position, and of the memory.
            num_heads: heads of both attentions.
            hidden: units of the feed-forward network.
            norm_first: as in `EncoderLayer`.
            activation: likewise.
            norm: likewise.
            eps: likewise.
            dropout: likewise.
            bias: likewise.
            device: where the parameters go.
            attention: ``kv_heads`` and ``qk_norm`` of both attentions, ``rotary_base`` of the first
                one.

        Raises:
            ValueError: there is no such norm.
        """
        super().__init__()
        made = {"bias": bias, "device": device}
        self.attention = MultiHeadAttention(embed_dim, num_heads, **made, **attention)
        self.attention_norm = _norm(norm, embed_dim, eps, device)
        unturned = attention | {"rotary_base": None}
        self.cross = MultiHeadAttention(embed_dim, num_heads, **made, **unturned)
        self.cross_norm = _norm(norm, embed_dim, eps, device)
        self.feed_forward = _feed_forward(embed_dim, hidden, activation, bias, device)
        self.feed_forward_norm = _norm(norm, embed_dim, eps, device)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        *,
        cache: Any = None,
    ) -> Tensor:
        """Attend to the target so far, then to the memory, then apply the feed-forward network.

        Args:
            x: the target so far, (..., T, D) float.
            memory: output of the encoder, (..., K, D) float.
            mask: bool, broadcastable to (..., T, T); True may attend. The self-attention is causal
                in addition.
            memory_mask: bool, broadcastable to (..., T, K); True may attend.
            cache: of the self-attention, as in `MultiHeadAttention`.

        Returns:
            (..., T, D).
        """
        x = _residual(
            x,
            lambda x: self.attention(x, mask=mask, is_causal=True, cache=cache),
            self.attention_norm,
            self,
        )
        x = _residual(x, lambda x: self.cross(x, memory, memory_mask), self.cross_norm, self)
        return _residual(x, self.feed_forward, self.feed_forward_norm, self)


# models


@dataclass(frozen=True, kw_only=True)
class Config:
    """Shape and options of a Transformer.

    Attributes:
        embed_dim: features D of each position.
        num_heads: heads of each attention.
        num_layers: number of layers of the encoder, and of the decoder.
        hidden: units of the feed-forward networks; 0 leaves them out of an encoder.
        vocabulary: tokens V; only for models that read tokens.
        longest: number of rows of a table of positions.
        positions: ``"learned"``, ``"sinusoidal"``, ``"one-hot"`` (added), ``"rotary"`` or
            ``"none"``; only for models that read tokens.
        rotary_base: of rotary positions: a number, or the rates of all pairs, see `rotary`.
        kv_heads: heads of keys and values; None for as many as query heads.
        qk_norm: whether queries and keys are normalized.
        norm: ``"layer"`` or ``"rms"``.
        eps: of the norms.
        norm_first: whether norms come before the parts of a layer.
        final_norm: whether a norm follows the last layer.
        activation: ``"relu"``, ``"gelu"``, ``"relu2"`` or ``"swiglu"``.
        bias: whether linear layers add a bias.
        dropout: probability that an entry is dropped, in training.
        tied: whether the embedding's table also scores the next token.
    """

    embed_dim: int = 64
    num_heads: int = 4
    num_layers: int = 2
    hidden: int = 256
    vocabulary: int = 0
    longest: int = 256
    positions: str = "sinusoidal"
    rotary_base: float | tuple[float, ...] = 10_000.0
    kv_heads: int | None = None
    qk_norm: bool = False
    norm: str = "layer"
    eps: float = 1e-5
    norm_first: bool = False
    final_norm: bool = True
    activation: str = "relu"
    bias: bool = True
    dropout: float = 0.0
    tied: bool = False

    def layer(self) -> dict[str, Any]:
        """The arguments of one `EncoderLayer` or `DecoderLayer`.

        Returns:
            Keyword arguments.
        """
        names = "embed_dim num_heads hidden norm_first activation norm eps dropout bias kv_heads"
        given = {name: getattr(self, name) for name in names.split()}
        turned = self.rotary_base if self.positions == "rotary" else None
        return given | {"qk_norm": self.qk_norm, "rotary_base": turned}


class Encoder(nn.Module):
    """A stack of encoder layers, and a norm at its end.

    Attributes:
        layers: `EncoderLayer`, ``config.num_layers`` of them.
        norm: the last norm, or nothing without ``config.final_norm``.
    """

    def __init__(self, config: Config, *, device: torch.device | str | None = None) -> None:
        """Make the layers.

        Args:
            config: sizes and options.
            device: where the parameters go.
        """
        super().__init__()
        self.layers = _stack(EncoderLayer, config, device)
        self.norm = _final_norm(config, device)

    def forward(self, x: Tensor, mask: Tensor | None = None, *, is_causal: bool = False) -> Tensor:
        """Apply all layers.

        Args:
            x: embedded positions, (..., T, D) float.
            mask: bool, broadcastable to (..., T, T); True may attend.
            is_causal: whether positions see the past and themselves only.

        Returns:
            (..., T, D).

        Raises:
            ValueError: the mask is not bool or does not fit.
        """
        _check_mask(mask, (*x.shape[:-1], x.shape[-2]))
        for layer in self.layers:
            x = layer(x, mask, is_causal=is_causal)
        return self.norm(x)


class Decoder(nn.Module):
    """A stack of decoder layers, and a norm at its end.

    Attributes:
        layers: `DecoderLayer`, ``config.num_layers`` of them.
        norm: the last norm, or nothing without ``config.final_norm``.
    """

    def __init__(self, config: Config, *, device: torch.device | str | None = None) -> None:
        """Make the layers.

        Args:
            config: sizes and options.
            device: where the parameters go.
        """
        super().__init__()
        self.layers = _stack(DecoderLayer, config, device)
        self.norm = _final_norm(config, device)

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        *,
        caches: Sequence[Any] | None = None,
    ) -> Tensor:
        """Apply all layers, each of which attends to the same memory.

        Args:
            x: embedded positions, (..., T, D) float.
            memory: output of the encoder, (..., K, D) float.
            mask: as in `DecoderLayer`.
            memory_mask: likewise.
            caches: one per layer, as in `MultiHeadAttention`; None for none.

        Returns:
            (..., T, D).

        Raises:
            ValueError: a mask is not bool or does not fit.
        """
        before = caches[0].length if caches else 0
        _check_mask(mask, (*x.shape[:-1], before + x.shape[-2]))
        _check_mask(memory_mask, (*x.shape[:-1], memory.shape[-2]))
        for layer, cache in zip(self.layers, caches or [None] * len(self.layers), strict=True):
            x = layer(x, memory, mask, memory_mask, cache=cache)
        return self.norm(x)


class Transformer(nn.Module):
    """The encoder and the decoder of 2017, on embedded positions.

    Attributes:
        encoder: `Encoder`.
        decoder: `Decoder`.
    """

    def __init__(self, config: Config, *, device: torch.device | str | None = None) -> None:
        """Make both halves.

        Args:
            config: sizes and options, the same for both.
            device: where the parameters go.
        """
        super().__init__()
        self.encoder = Encoder(config, device=device)
        self.decoder = Decoder(config, device=device)

    def forward(
        self,
        source: Tensor,
        target: Tensor,
        source_mask: Tensor | None = None,
        target_mask: Tensor | None = None,
    ) -> Tensor:
        """Encode the source, and return features of the next word at each position of the target.

        Args:
            source: embedded positions, (..., K, D) float.
            target: embedded positions, (..., T, D) float.
            source_mask: bool, broadcastable to (..., 1, K): the positions of the source to which
                encoder and decoder may attend.
            target_mask: bool, broadcastable to (..., T, T); the decoder is causal in addition.

        Returns:
            (..., T, D).
        """
        memory = self.encoder(source, source_mask)
        return self.decoder(target, memory, target_mask, source_mask)


class DecoderOnly(nn.Module):
    """A language model: embedded tokens, causal encoder layers, and scores of the next token.

    Without attention to a memory, a decoder layer is an `EncoderLayer` that is causal.

    Attributes:
        embed: `nn.Embedding`, (vocabulary, embed_dim); initialized as normal with variance
            1/embed_dim, so that the vectors have a length of about 1. With ``"sinusoidal"``
            positions they are multiplied by √embed_dim before the waves are added.
        table: positions, (longest, embed_dim), which are added: with ``"learned"``, a parameter
            that is initialized as normal with standard deviation 0.02; with ``"sinusoidal"`` and
            ``"one-hot"``, a fixed buffer.
        layers: `EncoderLayer`, ``config.num_layers`` of them.
        norm: the last norm, or nothing without ``config.final_norm``.
        head: `nn.Linear` without bias, (vocabulary, embed_dim); its weight is that of ``embed`` if
            ``tied``.
    """

    def __init__(self, config: Config, *, device: torch.device | str | None = None) -> None:
        """Make the parts.

        Args:
            config: sizes and options, ``vocabulary`` among them.
            device: where the parameters go.

        Raises:
            ValueError: there are no such positions, or no tokens.
        """
        super().__init__()
        if config.positions not in ("learned", "sinusoidal", "one-hot", "rotary", "none"):
            raise ValueError(f"there are no positions of the kind {config.positions!r}")
        if config.vocabulary < 1:
            raise ValueError("a language model needs a vocabulary; set config.vocabulary")
        self.config = config
        size = (config.longest, config.embed_dim)
        self.embed = nn.Embedding(config.vocabulary, config.embed_dim, device=device)
        nn.init.normal_(self.embed.weight, std=config.embed_dim**-0.5)
        if config.positions == "learned":
            self.table = nn.Parameter(0.02 * torch.randn(size, device=device))
        else:
            table = torch.eye(*size) if config.positions == "one-hot" else sinusoidal(*size)
            added = config.positions in ("one-hot", "sinusoidal")
            self.register_buffer("table", table.to(device) if added else None, persistent=False)
        self.dropout = nn.Dropout(config.dropout)
        self.layers = _stack(EncoderLayer, config, device)
        self.norm = _final_norm(config, device)
        self.head = nn.Linear(config.embed_dim, config.vocabulary, bias=False, device=device)
        if config.tied:
            self.head.weight = self.embed.weight

    def forward(
        self,
        tokens: Tensor,
        mask: Tensor | None = None,
        *,
        need_weights: bool = False,
        caches: Sequence[Any] | None = None,
    ) -> Tensor | tuple[Tensor, list[Tensor]]:
        """Score, at every position, each token as the next one.

        Args:
            tokens: (B, T) int64.
            mask: bool, broadcastable to (B, T, T); True may attend, to the past only.
            need_weights: also return the attention weights of every layer.
            caches: one per layer, as in `MultiHeadAttention`; the tokens then follow the cached
                ones. None for none.

        Returns:
            (B, T, V), logits; with ``need_weights`` also a list with (B, heads, T, K) per layer.

        Raises:
            ValueError: a position lies beyond the table of positions; the mask is not bool or does
                not fit; or, on the processor, a token is not in the vocabulary.

        Warns:
            UserWarning: the mask is (n, n) for n sequences of n tokens. It is read as (queries,
                keys), and could be meant as (B, keys).
        """
        before = caches[0].length if caches else 0
        _check_mask(mask, (*tokens.shape, before + tokens.shape[-1]))
        try:
            x = self.embed(tokens)  # (B, T) -> (B, T, D)
        except IndexError as error:
            raise ValueError(f"tokens must be from 0 to {len(self.embed.weight) - 1}") from error
        if self.config.positions == "sinusoidal":
            x = x * self.config.embed_dim**0.5  # as long as the waves are (section 3.4)
        if self.table is not None:
            if before + tokens.shape[-1] > len(self.table):
                raise ValueError(
                    f"there are {len(self.table)} positions, and {before + tokens.shape[-1]} are "
                    "needed; set config.longest, or take rotary positions"
                )
            x = x + self.table[before : before + tokens.shape[-1]]
        x, seen = self.dropout(x), []
        for layer, cache in zip(self.layers, caches or [None] * len(self.layers), strict=True):
            found = layer(x, mask, is_causal=True, need_weights=need_weights, cache=cache)
            x, *weights = found if need_weights else (found,)
            seen += weights
        logits = self.head(self.norm(x))  # (B, T, D) -> (B, T, V)
        return (logits, seen) if need_weights else logits


# what heads look at


def attention_back(weights: Tensor, back: int, *, start: int = 0) -> Tensor:
    """Mean attention weight of each head on the key ``back`` positions before the query.

    A head that attends to the previous token has nearly 1 for ``back`` = 1. In a text that repeats
    after n tokens, an induction head has nearly 1 for n − 1: it attends to the token that followed
    the previous occurrence of the current one (Olsson et al. 2022).

    Args:
        weights: (..., T, T) float, a row per query.
        back: distance from the query back to the key, 0 or more.
        start: the first query that counts; queries without such a key never count.

    Returns:
        (...), the mean over the queries that count.

    Raises:
        ValueError: no query counts.
    """
    start = max(start, back)
    if start >= weights.shape[-2]:
        raise ValueError(f"of {weights.shape[-2]} queries none is at {start} or after it")
    along = weights.diagonal(offset=-back, dim1=-2, dim2=-1)  # entry j: query j + back, key j
    return along[..., start - back :].mean(dim=-1)


# weights of others


def from_torch(state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Rename the weights of `nn.MultiheadAttention` or `nn.Transformer` to those of our module.

    PyTorch stacks W_Q, W_K and W_V in one matrix. The state of its layers, or of a stack of layers,
    is accepted, too.

    Args:
        state: its ``state_dict()``.

    Returns:
        The ``state_dict()`` of our module.
    """
    with_cross = {name.rpartition("multihead_attn.")[0] for name in state if "multihead" in name}
    ours: dict[str, Tensor] = {}
    for name, tensor in state.items():
        inside = name.rpartition("norm")[0] if "norm" in name else ""
        name = name.replace("multihead_attn.", "cross.").replace("self_attn.", "attention.")
        name = name.replace("out_proj.", "output.")
        name = name.replace("linear1.", "feed_forward.up.").replace(
            "linear2.", "feed_forward.down."
        )
        parts = ("attention", "cross", "feed_forward")
        parts = parts if inside in with_cross else parts[::2]
        for number, part in enumerate(parts, start=1):
            name = name.replace(f"norm{number}.", f"{part}_norm.")
        before, stacked, kind = name.partition("in_proj_")
        if stacked:
            for part, third in zip(("query", "key", "value"), tensor.chunk(3), strict=True):
                ours[f"{before}{part}.{kind}"] = third
        else:
            ours[name] = tensor
    return ours


def rename(state: Mapping[str, Tensor], names: Mapping[str, str]) -> dict[str, Tensor]:
    """Give tensors other names.

    Args:
        state: tensors by name.
        names: the new name of each old one, both without ``.weight`` or ``.bias``, which stay;
            ``{}`` in both stands for the number of a layer.

    Returns:
        The same tensors.

    Raises:
        ValueError: tensors have names that are not listed; the message names all of them.
    """
    renamed, unknown = {}, []
    for name, tensor in state.items():
        number = re.search(r"(?<=\.)\d+(?=\.)", name)
        pattern = name.replace(f".{number[0]}.", ".{}.", 1) if number else name
        stem, _, kind = pattern.rpartition(".")
        if kind in ("weight", "bias") and stem in names:
            pattern, new = stem, f"{names[stem]}.{kind}"
        else:
            new = names.get(pattern)
        if new is None:
            unknown.append(name)
        else:
            renamed[new.format(number[0] if number else "")] = tensor
    if unknown:
        raise ValueError(f"no place is known for {', '.join(unknown)}")
    return renamed


LLAMA = {
    "model.embed_tokens": "embed",
    "model.layers.{}.input_layernorm": "layers.{}.attention_norm",
    "model.layers.{}.self_attn.q_proj": "layers.{}.attention.query",
    "model.layers.{}.self_attn.k_proj": "layers.{}.attention.key",
    "model.layers.{}.self_attn.v_proj": "layers.{}.attention.value",
    "model.layers.{}.self_attn.o_proj": "layers.{}.attention.output",
    "model.layers.{}.post_attention_layernorm": "layers.{}.feed_forward_norm",
    "model.layers.{}.mlp.gate_proj": "layers.{}.feed_forward.gate",
    "model.layers.{}.mlp.up_proj": "layers.{}.feed_forward.up",
    "model.layers.{}.mlp.down_proj": "layers.{}.feed_forward.down",
    "model.norm": "norm",
    "lm_head": "head",
}


def from_llama(state: Mapping[str, Tensor], *, back: bool = False) -> dict[str, Tensor]:
    """Rename the weights of `transformers.LlamaForCausalLM` to those of a `DecoderOnly`.

    Llama has rotary positions, ``norm="rms"``, ``norm_first``, ``activation="swiglu"`` and no
    biases. `solutions.weights` reads the sizes and the rates of the positions from its config.

    Args:
        state: its ``state_dict()``, or the tensors of its files. Files of tied models have no
            ``lm_head.weight``, because it is ``model.embed_tokens.weight``. In files from before
            2024, tensors whose names end with ``rotary_emb.inv_freq`` are rates, which follow from
            the config.
        back: rename in the other direction, from our names to those of `transformers`.

    Returns:
        The weights under the other names.

    Raises:
        ValueError: there are weights of other names.
    """
    if back:
        return rename(state, {ours: theirs for theirs, ours in LLAMA.items()})
    state = {k: tensor for k, tensor in state.items() if not k.endswith("rotary_emb.inv_freq")}
    renamed = rename(state, LLAMA)
    return {"head.weight": renamed["embed.weight"]} | renamed


def _check_mask(mask: Tensor | None, shape: tuple[int, ...]) -> None:
    """Reject a mask that is not bool or cannot be broadcast to (..., queries, keys); warn of one
    that is ambiguous.
    """
    if mask is None:
        return
    if mask.dtype != torch.bool:
        raise ValueError(f"mask must be bool (True may attend), got {mask.dtype}; try mask == 0")
    own = mask.shape
    fits = zip(reversed(own), reversed(shape), strict=False)
    if len(own) > len(shape) or any(size not in (1, wanted) for size, wanted in fits):
        raise ValueError(
            f"a mask of shape {tuple(own)} does not fit (..., queries, keys) = {shape}; one that "
            "says of each key of a batch whether it is real, (B, keys), is mask[:, None]"
        )
    if len(own) == 2 < len(shape) and 1 < own[0] == shape[-3] == shape[-2]:
        warnings.warn(
            f"a mask of shape {tuple(own)} is read as (queries, keys); if it says of each key of a "
            "batch whether it is real, (B, keys), pass mask[:, None]; else mask[None] is silent",
            stacklevel=3,
        )


def _for_heads(mask: Tensor | None) -> Tensor | None:
    """A mask for all heads: one axis more, before those of queries and keys."""
    return None if mask is None else torch.atleast_2d(mask).unsqueeze(-3)


def _norm(kind: str, features: int, eps: float, device: torch.device | str | None) -> nn.Module:
    if kind not in ("layer", "rms"):
        raise ValueError(f"norm must be 'layer' or 'rms', got {kind!r}")
    make = nn.LayerNorm if kind == "layer" else RMSNorm
    return make(features, eps=eps, device=device)


def _feed_forward(
    features: int, hidden: int, activation: str, bias: bool, device: torch.device | str | None
) -> nn.Module | None:
    if not hidden:
        return None
    if activation == "swiglu":
        return SwiGLU(features, hidden, device=device)
    return FeedForward(features, hidden, activation=activation, bias=bias, device=device)


def _residual(x: Tensor, part: Any, norm: Any, layer: Any) -> Tensor:
    """One part of a layer around its residual connection, with the norm before or after."""
    if layer.norm_first:
        return x + layer.dropout(part(norm(x)))
    return norm(x + layer.dropout(part(x)))


def _stack(kind: type, config: Config, device: torch.device | str | None) -> nn.ModuleList:
    return nn.ModuleList(kind(**config.layer(), device=device) for _ in range(config.num_layers))


def _final_norm(config: Config, device: torch.device | str | None) -> nn.Module:
    if not config.final_norm:
        return nn.Identity()
    return _norm(config.norm, config.embed_dim, config.eps, device)
