"""Self-attention: every position looks at every other position at once.

Builds a differentiable dictionary, the parameter-free iterated form, masks, scaled dot-product
attention, a self-attention layer, and its cost beside convolution and recurrence.

Sources: Vaswani et al. 2017, "Attention Is All You Need", eq. 1 and table 1; Dong et al. 2021,
"Attention Is Not All You Need".
"""

from __future__ import annotations

import itertools
import math

import torch
from torch import Tensor, nn


def soft_lookup(
    query: Tensor, key: Tensor, value: Tensor, *, score: str = "dot", temperature: float = 1.0
) -> Tensor:
    """Look one query up in a dictionary whose keys match to a degree.

    Σⱼ pⱼ vⱼ with pⱼ = exp(score(q, kⱼ)/τ) / Σᵢ exp(score(q, kᵢ)/τ). The score is
    ``"dot"``: q·k, ``"cosine"``: q·k / (‖q‖ ‖k‖), or ``"distance"``: −‖q − k‖² / 2.

    Args:
        query: (d_k,) float, not zero; of length 10⁻⁷ or more where the score is ``"cosine"``.
        key: (keys, d_k) float, each row likewise.
        value: (keys, d_v) float.
        score: how well a key matches the query: ``"dot"``, ``"cosine"`` or ``"distance"``.
        temperature: τ > 0, and not so small that score/τ is no finite number of the dtype. Near 0
            only the best match counts; if τ is large, all keys count alike.

    Returns:
        (d_v,), a weighted mean of the values.

    Raises:
        ValueError: the score has another name, or the temperature is not positive.
    """
    if score not in ("dot", "cosine", "distance"):
        raise ValueError(f"score must be 'dot', 'cosine' or 'distance', got {score!r}")
    if temperature <= 0:
        raise ValueError(f"temperature must be positive, got {temperature}")
    if score == "dot":
        scores = key @ query  # (K, d_k) x (d_k,) -> (K,)
    elif score == "cosine":
        scores = key @ query / (key.norm(dim=-1) * query.norm())
    else:
        scores = -(key - query).square().sum(dim=-1) / 2
    return torch.softmax(scores / temperature, dim=0) @ value  # (K,) x (K, d_v) -> (d_v,)


def iterated_self_attention(x: Tensor, levels: int) -> Tensor:
    """Self-attention without parameters, applied to its own output again and again.

    Level 1 is the input. At level l every position attends to all positions of level l − 1:
    αᵢⱼ = softmaxⱼ(xᵢ·xⱼ) and xᵢ ← Σⱼ αᵢⱼ xⱼ, not scaled (Dong et al. 2021: where this leads).

    Args:
        x: (..., T, D) float.
        levels: how many levels to return, counting the input as the first.

    Returns:
        (levels, ..., T, D); entry l − 1 is level l, so entry 0 equals ``x``.

    Raises:
        ValueError: fewer than one level.
    """
    if levels < 1:
        raise ValueError(f"levels must be at least 1 (level 1 is the input), got {levels}")
    found = [x]
    for _ in range(levels - 1):
        weights = torch.softmax(x @ x.transpose(-2, -1), dim=-1)  # (..., T, T)
        x = weights @ x
        found.append(x)
    return torch.stack(found)


def entropy(weights: Tensor) -> Tensor:
    """How evenly each query spreads its attention, in nats.

    −Σⱼ pⱼ ln pⱼ, where a weight of zero adds nothing and every other counts as it is, however
    small: 0 for one key that takes all, ln(keys) for even weights.

    Args:
        weights: (..., keys) float; not negative, each row sums to 1.

    Returns:
        (...), one number per row. Gradients reach the weights that are not zero; at zero the slope
        is infinite, and the gradient is unspecified.
    """
    logs = torch.where(weights > 0, weights, 1.0).log()  # where the weight is 0, ln 1 = 0
    return -(weights * logs).sum(dim=-1)


def causal_mask(length: int, *, device: torch.device | str | None = None) -> Tensor:
    """Allow each position to attend to itself and to the past, not to the future.

    Args:
        length: positions T, 0 or more.
        device: where the mask goes.

    Returns:
        (T, T) bool, a row per query; True may attend.
    """
    return torch.ones(length, length, dtype=torch.bool, device=device).tril()


def padding_mask(lengths: Tensor, longest: int) -> Tensor:
    """Allow every query to attend to the real positions of its sequence, not to the padding.

    Args:
        lengths: (B,) int64, the number of real positions of each sequence; they come first. B may
            be 0.
        longest: positions T of the padded batch.

    Returns:
        (B, 1, T) bool on the device of ``lengths``; True may attend. The 1 is the axis of the
        queries: all queries of a sequence see the same keys.

    Raises:
        ValueError: a sequence is longer than the batch.
    """
    if lengths.numel() and int(lengths.max()) > longest:
        raise ValueError(f"a sequence has {int(lengths.max())} positions, longest is {longest}")
    real = torch.arange(longest, device=lengths.device) < lengths[:, None]  # (T,), (B, 1) -> (B, T)
    return real[:, None, :]


def additive_mask(mask: Tensor) -> Tensor:
    """Turn a boolean mask into the M ∈ {0, −∞} that is added to the scores.

    softmax(Q Kᵀ / √d_k + M): a score of −∞ has the exponential 0.

    Args:
        mask: bool, any shape; True may attend.

    Returns:
        The same shape, in torch's default float, on the device of the mask: 0 where the mask is
        True, −∞ where it is False.
    """
    zeros = torch.zeros(mask.shape, device=mask.device)
    return zeros.masked_fill(~mask, -math.inf)


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> Tensor:
    """Average the values, weighted by how well each key matches the query.

    softmax(Q Kᵀ / √d_k) V, the softmax over the keys (Vaswani et al. 2017, eq. 1).

    Args:
        query: (..., queries, d_k) float.
        key: (..., keys, d_k) float.
        value: (..., keys, d_v) float.
        mask: bool, broadcastable to (..., queries, keys); True may attend.

    Returns:
        (..., queries, d_v). A query whose every key is masked gets zeros, and zero gradients.

    Raises:
        ValueError: query and key differ in d_k, key and value in keys, or the mask is not bool.
    """
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(
            f"query and key must have the same last size d_k, got {query.shape[-1]} and "
            f"{key.shape[-1]}; project both to one size"
        )
    if key.shape[-2] != value.shape[-2]:
        raise ValueError(
            f"each key needs one value, got {key.shape[-2]} keys and {value.shape[-2]} values"
        )
    if mask is not None and mask.dtype != torch.bool:
        raise ValueError(f"mask must be bool (True may attend), got {mask.dtype}; try mask == 0")
    # divided first, so that the sums stay small where half precision would overflow
    scores = query / math.sqrt(query.shape[-1]) @ key.transpose(-2, -1)  # (..., Q, K)
    if mask is None:
        return torch.softmax(scores, dim=-1) @ value  # (..., Q, K) x (..., K, d_v)
    alone = ~mask.any(dim=-1, keepdim=True)  # queries without a key: softmax would give 0/0
    added = additive_mask(mask | alone).to(scores.dtype)  # M
    found = torch.softmax(scores + added, dim=-1) @ value
    return found.masked_fill(alone, 0.0)


class SelfAttention(nn.Module):
    """Scaled dot-product attention of a sequence to itself, with learned projections.

    Q = X W_Qᵀ, K = X W_Kᵀ, V = X W_Vᵀ, then attention (Vaswani et al. 2017, eq. 1; one head).
    All parameters start as those of ``nn.Linear`` do, uniform in ±1/√embed_dim.

    Args:
        embed_dim: features D of each position.
        d_k: size of queries and keys.
        d_v: size of values.
        causal: whether each position attends to itself and the past only.
        bias: whether the three projections add a bias.
        device: where the parameters go.

    Attributes:
        query: ``nn.Linear`` with ``weight`` (d_k, embed_dim) and perhaps ``bias`` (d_k,).
        key: ``nn.Linear`` with ``weight`` (d_k, embed_dim) and perhaps ``bias`` (d_k,).
        value: ``nn.Linear`` with ``weight`` (d_v, embed_dim) and perhaps ``bias`` (d_v,).
    """

    def __init__(
        self,
        embed_dim: int,
        *,
        d_k: int,
        d_v: int,
        causal: bool = False,
        bias: bool = False,
        device: torch.device | str | None = None,
    ) -> None:
        super().__init__()
        self.query = nn.Linear(embed_dim, d_k, bias=bias, device=device)
        self.key = nn.Linear(embed_dim, d_k, bias=bias, device=device)
        self.value = nn.Linear(embed_dim, d_v, bias=bias, device=device)
        self.causal = causal

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        """Let every position attend to the positions that the mask allows.

        Args:
            x: (..., T, embed_dim) float.
            mask: bool, broadcastable to (..., T, T); True may attend. A causal layer allows
                what this mask and the causal mask both allow.

        Returns:
            (..., T, d_v).
        """
        if self.causal:
            past = causal_mask(x.shape[-2], device=x.device)
            mask = past if mask is None else mask & past
        return scaled_dot_product_attention(self.query(x), self.key(x), self.value(x), mask)


def operations(layer: str, *, length: int, features: int, width: int = 3) -> int:
    """Multiply-adds of one layer that maps (T, D) to (T, D).

    Matrix products count, biases and elementwise functions do not (Vaswani et al. 2017, table 1,
    with its constants). ``"attention"`` has three projections D -> D, the scores and the weighted
    sum; ``"recurrent"`` is Elman's, with one product for the input and one for the hidden state at
    each step; ``"convolution"`` is padded, so that it returns T positions.

    Args:
        layer: ``"attention"``, ``"recurrent"`` or ``"convolution"``.
        length: positions T.
        features: D.
        width: positions that the kernel of the convolution covers.

    Returns:
        The number of multiply-adds.

    Raises:
        ValueError: there is no such layer.
    """
    count = {
        "attention": 3 * length * features**2 + 2 * length**2 * features,
        "recurrent": 2 * length * features**2,
        "convolution": width * length * features**2,
    }
    if layer not in count:
        raise ValueError(f"layer must be one of {', '.join(count)}, got {layer!r}")
    return count[layer]


def serial_steps(layer: str, *, length: int) -> int:
    """Matrix products of one layer that wait for each other, however many cores there are.

    The longest chain in which every product needs the result of the one before it, for the layers
    of `operations`. Products that do not need each other are done at the same time.

    Args:
        layer: ``"attention"``, ``"recurrent"`` or ``"convolution"``.
        length: positions T.

    Returns:
        The number of products in that chain.

    Raises:
        ValueError: there is no such layer.
    """
    steps = {"attention": 3, "recurrent": length, "convolution": 1}  # project, score, mix
    if layer not in steps:
        raise ValueError(f"layer must be one of {', '.join(steps)}, got {layer!r}")
    return steps[layer]


def path_length(layer: str, *, length: int, width: int = 3) -> int:
    """Hops that a signal takes from the first position to the last.

    A hop is one time step of a recurrence, one layer of attention, or one layer in a stack of
    causal convolutions. In a ``"dilated"`` stack the positions that the kernel of the first layer
    covers are neighbors, and from layer to layer they lie ``width`` times as far apart
    (Vaswani et al. 2017, table 1 and section 4, with constants).

    Args:
        layer: ``"attention"``, ``"recurrent"``, ``"convolution"`` or ``"dilated"``.
        length: positions T, from 2 to 2⁵³, so that a float counts them.
        width: positions that a causal kernel covers, its own and width − 1 before it; at least 2.

    Returns:
        The smallest number of hops that is enough.

    Raises:
        ValueError: there is no such layer.
    """
    hops = {
        "attention": 1,
        "recurrent": length - 1,
        "convolution": math.ceil((length - 1) / (width - 1)),
        "dilated": next(n for n in itertools.count(1) if width**n >= length),  # no log: it rounds
    }
    if layer not in hops:
        raise ValueError(f"layer must be one of {', '.join(hops)}, got {layer!r}")
    return hops[layer]
