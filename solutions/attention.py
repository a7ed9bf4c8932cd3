"""Attention: a decoder that looks back at every position of the source.

Builds four scores (dot product, scaled, general, additive), a masked softmax, the weighted mean and
its gradients by hand; hard attention, to one sampled position; a decoder that attends to the source
and fits into `EncoderDecoder`; and measures of an alignment.

Sources: Bahdanau, Cho and Bengio 2015, "Neural Machine Translation by Jointly Learning to Align and
Translate"; Luong, Pham and Manning 2015, "Effective Approaches to Attention-Based Neural Machine
Translation"; Xu et al. 2015, "Show, Attend and Tell"; Williams 1992, "Simple Statistical
Gradient-Following Algorithms for Connectionist Reinforcement Learning".
"""

from __future__ import annotations

import functools
import itertools
import math
import re
from collections.abc import Sequence

import torch
from torch import Tensor, nn

from solutions.data import LANGUAGES
from solutions.recurrent import Recurrent
from solutions.seq2seq import Decoder

KINDS = ("dot", "scaled", "general", "additive")


def dot_score(query: Tensor, key: Tensor, *, scaled: bool = False) -> Tensor:
    """Score every key for every query by their dot product, q·k (Luong et al. 2015, eq. 8).

    Args:
        query: (..., queries, d) float.
        key: (..., keys, d) float.
        scaled: whether to divide the scores by √d.

    Returns:
        (..., queries, keys).

    Raises:
        ValueError: queries and keys differ in d.
    """
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(
            f"a dot product needs queries and keys of one size, got {query.shape[-1]} and "
            f"{key.shape[-1]}; the general score takes two"
        )
    scores = query @ key.transpose(-2, -1)  # (..., Q, d) x (..., d, K) -> (..., Q, K)
    return scores / math.sqrt(query.shape[-1]) if scaled else scores


def general_score(query: Tensor, key: Tensor, weight: Tensor) -> Tensor:
    """Score every key for every query through a matrix: qᵀ W k (Luong et al. 2015, eq. 8).

    Args:
        query: (..., queries, d_q) float.
        key: (..., keys, d_k) float.
        weight: W, (d_q, d_k) float.

    Returns:
        (..., queries, keys).
    """
    return dot_score(query, key @ weight.T)  # (..., K, d_k) x (d_k, d_q) -> (..., K, d_q)


def additive_score(
    query: Tensor, key: Tensor, weight_query: Tensor, weight_key: Tensor | None, v: Tensor
) -> Tensor:
    """Score every key for every query by a small network: v·tanh(W_q q + W_k k).

    Bahdanau et al. 2015, appendix A.1.2.

    Args:
        query: (..., queries, d_q) float.
        key: (..., keys, d_k) float; without ``weight_key`` these are W_k k, (..., keys, H).
        weight_query: W_q, (H, d_q) float.
        weight_key: W_k, (H, d_k) float; None where the keys have been projected already.
        v: (H,) float.

    Returns:
        (..., queries, keys).
    """
    asked = query @ weight_query.T  # (..., Q, H)
    found = key if weight_key is None else key @ weight_key.T  # (..., K, H)
    hidden = torch.tanh(asked[..., :, None, :] + found[..., None, :, :])  # (..., Q, K, H)
    return hidden @ v  # (..., Q, K)


def masked_softmax(scores: Tensor, mask: Tensor | None = None) -> Tensor:
    """Turn scores into weights: each query divides 1 among the keys that it may attend to.

    Args:
        scores: (..., queries, keys) float, of any size.
        mask: bool, broadcastable to the scores; True may be attended to. Without it all keys.

    Returns:
        (..., queries, keys): not negative, and 0 where the mask is False. Each row sums to 1; a
        query without a key gets zeros. Scores where the mask is False do not matter, even if they
        are NaN, and no gradient reaches them.

    Raises:
        ValueError: the mask is not bool.
    """
    if mask is None:
        return torch.softmax(scores, dim=-1)
    if mask.dtype != torch.bool:
        raise ValueError(f"mask must be bool (True may be attended to), got {mask.dtype}")
    scores = scores.masked_fill(~mask, -math.inf)
    # without a key a row is 0/0, which is NaN: erased here, and its gradient above
    return torch.softmax(scores, dim=-1).masked_fill(~mask, 0.0)


def attend(scores: Tensor, value: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Average the values, each query by its own weights: the context c = Σⱼ αⱼ vⱼ.

    Args:
        scores: (..., queries, keys) float; where the mask is False they do not matter, even if
            they are NaN.
        value: (..., keys, d_v) float.
        mask: bool, broadcastable to the scores; True may be attended to. Without it all keys.

    Returns:
        The context of each query, (..., queries, d_v), and the weights α, (..., queries, keys). A
        query without a key gets zeros.

    Raises:
        ValueError: the mask is not bool.
    """
    weights = masked_softmax(scores, mask)
    return weights @ value, weights  # (..., Q, K) x (..., K, d_v) -> (..., Q, d_v)


def attend_backward(grad: Tensor, weights: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    """The gradients of `attend`, by hand.

    With g = ∂L/∂c for one query: ∂L/∂sⱼ = αⱼ (g·vⱼ − g·c), so the gradient says how much better the
    value is than the mean that was returned; and ∂L/∂vⱼ = Σ α g over the queries.

    Args:
        grad: ∂L/∂c, (..., queries, d_v) float.
        weights: α, as `attend` returned them, (..., queries, keys) float.
        value: (..., keys, d_v) float.

    Returns:
        The gradients of the scores, (..., queries, keys), and of the values, (..., keys, d_v).
    """
    of_weights = grad @ value.transpose(-2, -1)  # g·v: (..., Q, K)
    mean = (weights * of_weights).sum(dim=-1, keepdim=True)  # g·c: (..., Q, 1)
    return weights * (of_weights - mean), weights.transpose(-2, -1) @ grad


def attention_block(h: Tensor, x: Tensor) -> tuple[Tensor, Tensor]:
    """Attention with one query and no parameters: p_t ∝ exp(h·x_t), c = Σ_t p_t x_t.

    Args:
        h: the query, (..., D) float.
        x: the sequence, compared with the query and averaged, (..., T, D) float.

    Returns:
        c, (..., D), and p, (..., T).
    """
    p = (x @ h[..., None])[..., 0].softmax(dim=-1)  # (..., T)
    return (p[..., None, :] @ x)[..., 0, :], p


def hard_gradient(
    weights: Tensor, drawn: Tensor, reward: Tensor, *, baseline: float | Tensor = 0.0
) -> Tensor:
    """Estimate from sampled keys the gradient of an expected reward with respect to the scores.

    One key k is sampled with probabilities p = softmax(s) and earns the reward r. The mean over the
    draws of (r − b)(δ_jk − p_j) has the expectation ∂E[r]/∂s_j, for any baseline b that does not
    depend on the draws (Williams 1992; for attention: Xu et al. 2015, section 4.1).

    Args:
        weights: p, (keys,) float.
        drawn: the keys that were drawn, (draws,) int64.
        reward: r of each draw, (draws,) float.
        baseline: b, one number.

    Returns:
        (keys,), the mean over the draws; its entries sum to 0.
    """
    advantage = reward - baseline  # (draws,)
    won = torch.zeros_like(weights).index_add(0, drawn, advantage)  # Σ of those who drew key j
    return (won - advantage.sum() * weights) / len(drawn)


class Attention(nn.Module):
    """Attention with one of four scores, and the parameters that this score has.

    All parameters are uniform between ±1/√n, where n is the number of terms that each output
    sums.

    Attributes:
        weight: parameter (query_size, key_size), n = key_size; for ``"general"`` alone.
        weight_query: parameter (hidden_size, query_size), n = query_size; for ``"additive"`` alone.
        weight_key: parameter (hidden_size, key_size), n = key_size; for ``"additive"`` alone.
        v: parameter (hidden_size,), n = hidden_size; for ``"additive"`` alone.
    """

    def __init__(
        self,
        kind: str,
        *,
        query_size: int,
        key_size: int,
        hidden_size: int = 32,
        device: torch.device | str | None = None,
    ) -> None:
        """Make the parameters.

        Args:
            kind: ``"dot"``, ``"scaled"`` (dot product by √size), ``"general"`` or ``"additive"``.
            query_size: features of a query.
            key_size: features of a key; those of a query, for ``"dot"`` and ``"scaled"``.
            hidden_size: H of the additive score.
            device: where the parameters go.

        Raises:
            ValueError: there is no such kind, or a dot product gets two sizes.
        """
        super().__init__()
        if kind not in KINDS:
            raise ValueError(f"kind must be one of {', '.join(KINDS)}, got {kind!r}")
        if kind in ("dot", "scaled") and query_size != key_size:
            raise ValueError(f"{kind!r} needs one size, got {query_size} and {key_size}")
        self.kind = kind
        shapes = {}
        if kind == "general":
            shapes = {"weight": (query_size, key_size)}
        elif kind == "additive":
            shapes = {
                "weight_query": (hidden_size, query_size),
                "weight_key": (hidden_size, key_size),
                "v": (hidden_size,),
            }
        for name, shape in shapes.items():
            bound = 1 / math.sqrt(shape[-1])
            made = torch.empty(shape, device=device).uniform_(-bound, bound)
            self.register_parameter(name, nn.Parameter(made))

    def project(self, key: Tensor) -> Tensor:
        """Compute the part that needs no query, once for all queries.

        Args:
            key: (..., keys, key_size) float.

        Returns:
            W k, (..., keys, query_size), for ``"general"``; W_k k, (..., keys, hidden_size), for
            ``"additive"``; the keys themselves for the others.
        """
        if self.kind == "general":
            return key @ self.weight.T
        return key @ self.weight_key.T if self.kind == "additive" else key

    def forward(
        self, query: Tensor, projected: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Average the values, weighted by how well each key matches the query.

        Args:
            query: (..., queries, query_size) float.
            projected: what `project` returned, (..., keys, ·) float.
            value: (..., keys, d_v) float.
            mask: bool, broadcastable to (..., queries, keys); True may be attended to.

        Returns:
            The context of each query, (..., queries, d_v), and the weights, (..., queries, keys).
        """
        if self.kind == "additive":
            scores = additive_score(query, projected, self.weight_query, None, self.v)
        else:
            scores = dot_score(query, projected, scaled=self.kind == "scaled")
        return attend(scores, value, mask)


class AttendingDecoder(Decoder):
    """A decoder that attends to the source before it reads each token.

    h_0 = tanh(W s + b) with the encoder's summary s. Then at every step the state h_{i−1} is the
    query: attention returns the context c_i, a GRU reads the token's vector and c_i side by side,
    in this order, and the output scores the next token from h_i and c_i (Bahdanau et al. 2015,
    section 3.1, with one linear layer for their output network).

    Attributes:
        bridge: `nn.Linear`, summary_size to hidden_size.
        embedding: `nn.Embedding`, symbols to embed_dim.
        attention: `Attention`; queries have hidden_size features, keys memory_size; the hidden
            layer of an additive score has hidden_size as well.
        layer: `Recurrent` of kind ``"gru"``, embed_dim + memory_size to hidden_size.
        output: `nn.Linear`, hidden_size + memory_size to symbols.
    """

    def __init__(
        self,
        symbols: int,
        *,
        summary_size: int,
        memory_size: int,
        embed_dim: int,
        hidden_size: int,
        score: str = "additive",
        device: torch.device | str | None = None,
    ) -> None:
        """Make the parts.

        Args:
            symbols: how many the target vocabulary has.
            summary_size: features of the encoder's summary.
            memory_size: features of each position of the encoder's memory.
            embed_dim: features of each symbol.
            hidden_size: features of the state.
            score: kind of `Attention`.
            device: where the parameters go.
        """
        super().__init__()
        self.bridge = nn.Linear(summary_size, hidden_size, device=device)
        self.embedding = nn.Embedding(symbols, embed_dim, device=device)
        sizes = {"query_size": hidden_size, "key_size": memory_size, "hidden_size": hidden_size}
        self.attention = Attention(score, **sizes, device=device)
        self.layer = Recurrent(embed_dim + memory_size, hidden_size, kind="gru", device=device)
        self.output = nn.Linear(hidden_size + memory_size, symbols, device=device)

    def begin(self, summary: Tensor) -> Tensor:
        """Compute the first state from the summary.

        Args:
            summary: (B, summary_size) float.

        Returns:
            h_0, (B, hidden_size).
        """
        return torch.tanh(self.bridge(summary))

    def align(
        self, targets_in: Tensor, memory: Tensor, mask: Tensor, state: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Read given tokens, and return the attention weights of each step.

        The keys are projected once, not again for every token.

        Args:
            targets_in: (B, T) int64.
            memory: (B, S, memory_size) float, keys and values at once.
            mask: (B, S) bool, True where the source has a token.
            state: (B, hidden_size) float, of `begin`, or what the call before returned.

        Returns:
            Logits (B, T, symbols), weights (B, T, S), and the state after the last token.
        """
        projected = self.attention.project(memory)
        read, looks = [], []
        for embedded in self.embedding(targets_in).split(1, dim=1):  # each (B, 1, embed_dim)
            context, weights = self.attention(state[:, None], projected, memory, mask[:, None])
            output, (state,) = self.layer(torch.cat([embedded, context], dim=-1), state[None])
            read.append(torch.cat([output, context], dim=-1))  # (B, 1, H + memory_size)
            looks.append(weights)
        return self.output(torch.cat(read, dim=1)), torch.cat(looks, dim=1), state

    def forward(
        self, targets_in: Tensor, memory: Tensor, mask: Tensor, state: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Read given tokens, and score the next token after each.

        Args:
            targets_in: (B, T) int64.
            memory: (B, S, memory_size) float.
            mask: (B, S) bool, True where the source has a token.
            state: (B, hidden_size) float.

        Returns:
            Logits (B, T, symbols), and the state after the last token.
        """
        logits, _, state = self.align(targets_in, memory, mask, state)
        return logits, state


def coverage_penalty(weights: Tensor, source: Tensor, target: Tensor) -> Tensor:
    """How much of the source was left out: Σⱼ ln min(Σᵢ αᵢⱼ, 1).

    The inner sum is the coverage of source position j: the weight that all target positions give it
    together. A position that got 1 or more costs nothing (Wu et al. 2016, eq. 14, without its β).

    Args:
        weights: α, (B, T, S) float, a row per target position.
        source: (B, S) bool, False at padding of the source.
        target: (B, T) bool, False at padding of the target. Weights at padding do not matter, even
            if they are NaN.

    Returns:
        (B,), 0 or below; −∞ where a source position got nothing at all. Padding costs nothing, and
        no gradient comes from it.
    """
    coverage = weights.masked_fill(~target[:, :, None], 0.0).sum(dim=1)  # (B, T, S) -> (B, S)
    return coverage.clamp(max=1).masked_fill(~source, 1.0).log().sum(dim=-1)  # ln 1 = 0


def agreement(weights: Tensor, gold: Tensor) -> Tensor:
    """Share of target positions whose largest attention weight is where it should be.

    Args:
        weights: (..., T, S) float, a row per target position.
        gold: (..., T, S) bool, True at the source positions that state the target token. A row
            without one does not count: padding, or a target that no single position decides.

    Returns:
        (), of the dtype of ``weights``: of all rows that count, in the whole batch, the share whose
        largest weight is at a True; among equal weights, the first. NaN if no row counts.
    """
    looks = weights.argmax(dim=-1, keepdim=True)  # (..., T, 1)
    return gold.gather(-1, looks)[gold.any(dim=-1)].to(weights.dtype).mean()


def date_tokens(written: str) -> list[str]:
    """Cut a date into words, single digits and marks: "2. März" -> 2 . märz.

    Args:
        written: a date, as `solutions.data.dates` writes them.

    Returns:
        The tokens in their order, in lower case; spaces are left out.
    """
    return re.findall(r"[^\W\d_]+|\d|[^\w\s]", written.lower())


def date_alignment(tokens: Sequence[str], iso: str) -> Tensor:
    """Find the token of a written date that states each digit of the ISO date.

    A digit of the year, or of a day or month of two digits, is stated by the same digit. Both
    digits of a day or month of one digit are stated by that digit, and both digits of a month in
    letters by its name.

    Args:
        tokens: of `date_tokens`, a date of `solutions.data.dates`.
        iso: the same date, as "2003-03-02".

    Returns:
        (8, tokens) bool: a row per digit of year, month and day, each with one True.
    """
    digits = [place for place, token in enumerate(tokens) if token.isdigit()]
    runs: list[list[int]] = []
    for place in digits:  # neighbors are one number
        if runs and runs[-1][-1] == place - 1:
            runs[-1].append(place)
        else:
            runs.append([place])
    year = next(run for run in runs if len(run) == 4)
    others = [run for run in runs if run is not year]
    if len(others) == 1:  # the month in letters
        names = _month_names(int(iso[5:7]))
        month = [next(p for p, token in enumerate(tokens) if token.isalpha() and token in names)]
        day = others[0]
    else:  # year, month, day; or day, month, year
        month, day = others if runs[0] is year else others[::-1]
    places = [*year, *(2 * month)[:2], *(2 * day)[:2]]
    where = torch.zeros(8, len(tokens), dtype=torch.bool)
    where[torch.arange(8), torch.tensor(places)] = True
    return where


@functools.cache
def _month_names(month: int) -> frozenset[str]:
    """The first token of the names of a month, in all languages and lengths."""
    from babel import Locale

    months = [Locale.parse(language).months for language in LANGUAGES]
    forms = itertools.product(months, ("format", "stand-alone"), ("wide", "abbreviated"))
    return frozenset(date_tokens(of[use][length][month])[0] for of, use, length in forms)
