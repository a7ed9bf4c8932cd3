"""GPT: a decoder that predicts the next token, and the uses of its predictions.

Builds GPT-2 from the Transformer's parts, and loads pretrained weights; losses and perplexity, also
of long texts in windows; sampling (temperature, top-k, top-p, min-p, a repetition penalty), with
every token fed once; speculative decoding, in which a small model proposes and a large one checks;
power laws of the loss; and mixtures of experts, in which a token uses a part of the parameters.

Filters take logits and return logits: those of excluded tokens become −∞, and the softmax that
follows normalizes the rest.

Sources: Radford et al. 2019, "Language Models are Unsupervised Multitask Learners"; Fan et al.
2018, "Hierarchical Neural Story Generation" (top-k); Holtzman et al. 2020, "The Curious Case of
Neural Text Degeneration" (top-p); Nguyen et al. 2024, "Turning Up the Heat: Min-p Sampling for
Creative and Coherent LLM Outputs"; Keskar et al. 2019, "CTRL" (the penalty); Leviathan et al. 2023,
"Fast Inference from Transformers via Speculative Decoding"; Kaplan et al. 2020, "Scaling Laws for
Neural Language Models"; Hoffmann et al. 2022, "Training Compute-Optimal Large Language Models";
Shazeer et al. 2017, "Outrageously Large Neural Networks"; Fedus et al. 2021, "Switch Transformers".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from solutions.recurrent import draw_next
from solutions.transformer import Config, DecoderOnly, FeedForward

NEVER = -math.inf
GPT2 = {  # names of the weights there and here
    "wte.": "embed.",
    "wpe.weight": "table",
    "h.": "layers.",
    "ln_1.": "attention_norm.",
    "attn.c_proj.": "attention.output.",
    "ln_2.": "feed_forward_norm.",
    "mlp.c_fc.": "feed_forward.up.",
    "mlp.c_proj.": "feed_forward.down.",
    "ln_f.": "norm.",
}

# the model


class TanhFeedForward(FeedForward):
    """`FeedForward` with GPT-2's GELU: a tanh approximation, off by some 10⁻⁴."""

    def forward(self, x: Tensor) -> Tensor:
        """Apply the first layer, the activation and the second layer.

        Args:
            x: (..., D) float.

        Returns:
            (..., D).
        """
        return self.down(F.gelu(self.up(x), approximate="tanh"))


class GPT(DecoderOnly):
    """GPT-2: a `DecoderOnly` with learned positions, norms first, and one table for both ends.

    A hidden layer has four times as many features. Weights of linear layers and both tables are
    initialized as normal with standard deviation ``std``, biases as 0, scales of norms as 1. The
    last layer of each branch, ``attention.output`` and ``feed_forward.down``, has standard
    deviation std / √(2 · num_layers), so that the sum of all branches does not grow with their
    number (Radford et al. 2019, section 2.3).

    Attributes:
        embed: `nn.Embedding`, (vocabulary, embed_dim); ``head.weight`` is the same parameter.
        table: the learned positions, a parameter (longest, embed_dim).
        layers: `EncoderLayer`, each with a `TanhFeedForward`.
        norm: the last `nn.LayerNorm`.
    """

    def __init__(
        self,
        vocabulary: int,
        *,
        embed_dim: int,
        num_heads: int,
        num_layers: int,
        longest: int,
        positions: str = "learned",
        dropout: float = 0.0,
        std: float = 0.02,
        device: torch.device | str | None = None,
    ) -> None:
        """Create the parts.

        Args:
            vocabulary: tokens V.
            embed_dim: features D of each position.
            num_heads: heads of each attention.
            num_layers: number of layers.
            longest: number of positions of the table.
            positions: GPT-2's are learned; `Config` names others.
            dropout: probability that an entry is dropped, in training.
            std: standard deviation of the initial weights; GPT-2's 0.02 is meant for 768 features.
            device: where the parameters go.
        """
        config = Config(
            vocabulary=vocabulary,
            embed_dim=embed_dim,
            num_heads=num_heads,
            num_layers=num_layers,
            hidden=4 * embed_dim,
            longest=longest,
            positions=positions,
            norm_first=True,
            dropout=dropout,
            tied=True,
        )
        super().__init__(config, device=device)
        for layer in self.layers:
            layer.feed_forward = TanhFeedForward(embed_dim, config.hidden, device=device)
        for name, parameter in self.named_parameters():
            if name.endswith("bias"):
                nn.init.zeros_(parameter)
            elif "norm" not in name:
                last = name.endswith(("attention.output.weight", "feed_forward.down.weight"))
                nn.init.normal_(parameter, std=std / math.sqrt(2 * num_layers) if last else std)


def from_gpt2(state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Rename the weights of `transformers.GPT2LMHeadModel` to those of `GPT`.

    In GPT-2, weights of layers have inputs first, and those of queries, keys and values lie side by
    side in one matrix ``attn.c_attn``, (D, 3 D), with a bias (3 D,). `GPT2` maps the other names to
    ours. In ours, outputs come first.

    Args:
        state: its ``state_dict()``, or the tensors of its safetensors file. Names may have the
            prefix ``transformer.``. ``lm_head.weight`` may be missing, because it is
            ``wte.weight``. In old files, names that end with ``.attn.bias`` or
            ``.attn.masked_bias`` are masks, not weights.

    Returns:
        The ``state_dict()`` of a `GPT`, ``head.weight`` included.
    """
    ours: dict[str, Tensor] = {}
    for name, tensor in state.items():
        name = name.removeprefix("transformer.")
        if name.endswith((".attn.bias", ".attn.masked_bias")) or name == "lm_head.weight":
            continue
        if ".c_" in name:  # of a layer: inputs come first there; a bias stays as it is
            tensor = tensor.movedim(0, -1)
        for old, new in GPT2.items():
            name = name.replace(old, new)
        before, stacked, kind = name.partition("attn.c_attn.")
        if stacked:
            for part, third in zip(("query", "key", "value"), tensor.chunk(3), strict=True):
                ours[f"{before}attention.{part}.{kind}"] = third
        else:
            ours[name] = tensor
    return ours | {"head.weight": ours["embed.weight"]}


class Cache:
    """Keys and values of the positions that one layer has read.

    Attributes:
        key: (..., heads, length, d_k) float; None before anything has been read.
        value: (..., heads, length, d_v) float; likewise.
    """

    def __init__(self) -> None:
        """Start empty."""
        self.key: Tensor | None = None
        self.value: Tensor | None = None

    @property
    def length(self) -> int:
        """Number of cached positions."""
        return 0 if self.key is None else self.key.shape[-2]

    def extend(self, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """Append new positions to the cached ones.

        Args:
            key: (..., heads, new, d_k) float.
            value: (..., heads, new, d_v) float.

        Returns:
            All keys and all values.
        """
        if self.key is not None and self.value is not None:
            key = torch.cat([self.key, key], dim=-2)
            value = torch.cat([self.value, value], dim=-2)
        self.key, self.value = key, value
        return key, value


Memory = tuple[list[Cache], Tensor]


def cached(model: DecoderOnly) -> Callable[[Tensor, Any], tuple[Tensor, Any]]:
    """Wrap a model for `generate`: it reads new tokens, and caches their keys and values.

    A text may outgrow a model's table of positions: when all positions are used, the older half of
    the text is dropped, and the rest is read again from position 0.

    Args:
        model: any `DecoderOnly`.

    Returns:
        ``step(tokens, state)``. The state is one `Cache` per layer, which is changed in place, and
        the tokens that are in it, (B, length).
    """
    longest = math.inf if model.table is None else len(model.table)

    def step(tokens: Tensor, state: Memory | None) -> tuple[Tensor, Memory]:
        caches, kept = state or (None, tokens[:, :0])
        new, kept = tokens.shape[1], torch.cat([kept, tokens], dim=1)
        if caches is not None and kept.shape[1] > longest:
            caches, tokens = None, kept[:, -max(new, longest // 2) :]
            kept = tokens
        caches = caches or [Cache() for _ in model.layers]
        return model(tokens, caches=caches)[:, -new:], (caches, kept)

    return step


# from logits to a text


def tempered(logits: Tensor, temperature: float) -> Tensor:
    """Sharpen or flatten a distribution: divide the logits by a temperature, z / τ.

    Args:
        logits: z, (..., V) float.
        temperature: τ ≥ 0. Below 1, likely tokens become likelier; above 1, probabilities become
            more equal.

    Returns:
        (..., V). With τ = 0, 0 for the largest logit (the first, if several are equal) and −∞
        elsewhere.

    Raises:
        ValueError: the temperature is negative.
    """
    if temperature < 0:
        raise ValueError(f"temperature must not be negative, got {temperature}")
    if temperature == 0:
        best = logits.argmax(dim=-1, keepdim=True)  # (..., V) -> (..., 1)
        return torch.full_like(logits, NEVER).scatter(-1, best, 0.0)
    return logits / temperature


def top_k(logits: Tensor, k: int) -> Tensor:
    """Keep the k largest logits, and exclude the others (Fan et al. 2018).

    Args:
        logits: (..., V) float.
        k: 1 or more; with V or more nothing changes.

    Returns:
        (..., V), −∞ for excluded tokens, the others unchanged and in place. Exactly k are kept: of
        equal logits the first in the vocabulary.

    Raises:
        ValueError: k is below 1, which leaves no token.
    """
    if k < 1:
        raise ValueError(f"k must be 1 or more, got {k}; None leaves top-k out")
    order = logits.argsort(descending=True, stable=True)
    rank = order.argsort()  # of every token, from the top
    return logits.masked_fill(rank >= k, NEVER)


def top_p(logits: Tensor, p: float) -> Tensor:
    """Keep the fewest tokens whose probabilities sum to at least p: the nucleus.

    Tokens are taken from the likeliest on until their probabilities sum to p or more; the token
    that crosses p is kept (Holtzman et al. 2020, eq. 2).

    Args:
        logits: (..., V) float.
        p: above 0, up to 1; with 1 nothing changes.

    Returns:
        (..., V), −∞ for excluded tokens, the others unchanged and in place. Of equal logits the
        first in the vocabulary is taken first.

    Raises:
        ValueError: p is not above 0, which leaves no token.
    """
    if p <= 0:
        raise ValueError(f"p must be above 0, got {p}; None leaves top-p out")
    if p >= 1:
        return logits
    ordered, order = logits.sort(descending=True, stable=True)
    found = ordered.softmax(dim=-1)
    before = found.cumsum(dim=-1) - found  # the sum of all that are taken earlier
    dropped = before >= p
    dropped = dropped.scatter(-1, order, dropped)  # back into the vocabulary's order
    return logits.masked_fill(dropped, NEVER)


def min_p(logits: Tensor, p: float) -> Tensor:
    """Keep the tokens at least p times as probable as the likeliest one (Nguyen et al. 2024).

    Args:
        logits: (..., V) float.
        p: above 0, up to 1.

    Returns:
        (..., V), −∞ for excluded tokens, the others unchanged. The likeliest are always kept.

    Raises:
        ValueError: p is not above 0.
    """
    if p <= 0:
        raise ValueError(f"p must be above 0, got {p}; None leaves min-p out")
    floor = logits.amax(dim=-1, keepdim=True) + math.log(p)  # (..., V) -> (..., 1)
    return logits.masked_fill(logits < floor, NEVER)


def repetition_penalty(logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    """Make tokens that have occurred less likely (Keskar et al. 2019, section 4.1).

    Args:
        logits: (B, V) float.
        tokens: (B, T) int64, the tokens so far; each counts once, however often it occurs.
        penalty: above 0. Positive logits are divided by it, all others multiplied; above 1, both
            become smaller.

    Returns:
        (B, V); tokens that have not occurred keep their logits.
    """
    said = torch.zeros_like(logits, dtype=torch.bool).scatter(-1, tokens, True)
    lower = torch.where(logits > 0, logits / penalty, logits * penalty)
    return torch.where(said, lower, logits)


def filtered(
    logits: Tensor,
    tokens: Tensor,
    *,
    penalty: float = 1.0,
    temperature: float = 1.0,
    k: int | None = None,
    p: float | None = None,
    least: float | None = None,
) -> Tensor:
    """Apply all filters in their usual order, each to the result of the one before.

    Args:
        logits: (B, V) float, the model's logits.
        tokens: (B, T) int64, all tokens so far.
        penalty: of `repetition_penalty`, which comes first.
        temperature: of `tempered`, second.
        k: of `top_k`, third. None skips this filter; so it does for ``p`` and ``least``.
        p: of `top_p`, fourth.
        least: p of `min_p`, last.

    Returns:
        (B, V), logits to sample from.

    Raises:
        ValueError: a setting that a filter rejects; a ``k`` of 0 is not None.
    """
    logits = tempered(repetition_penalty(logits, tokens, penalty), temperature)
    for filter_, setting in ((top_k, k), (top_p, p), (min_p, least)):
        if setting is not None:
            logits = filter_(logits, setting)
    return logits


@torch.no_grad()
def generate(
    step: Callable[[Tensor, Any], tuple[Tensor, Any]],
    prompt: Tensor,
    uniform: Tensor,
    **settings: Any,
) -> Tensor:
    """Generate text, and feed every token to the model only once.

    Args:
        step: ``step(tokens, state)`` reads tokens (B, n) that follow those it has read, and returns
            logits (B, n, V) of the token after each of them, and the new state. In the first call
            the state is None.
        prompt: (B, T) int64, read first, in one call; T ≥ 1.
        uniform: (B, count) float in [0, 1): `draw_next` samples token t of a row with number t.
        settings: of `filtered`; the tokens so far include the prompt.

    Returns:
        (B, count) int64, the sampled tokens, without the prompt. The last one is not fed.
    """
    tokens = fed = prompt
    state = None
    for chance in uniform.unbind(dim=1):
        logits, state = step(fed, state)
        logits = filtered(logits[:, -1], tokens, **settings)  # (B, n, V) -> (B, V)
        fed = draw_next(logits, chance)[:, None]
        tokens = torch.cat([tokens, fed], dim=1)
    return tokens[:, prompt.shape[1] :]


# what is asked, and how well it is answered


def windows(tokens: Tensor, starts: Tensor, span: int) -> tuple[Tensor, Tensor]:
    """Cut pieces out of a long text as inputs, and the same pieces one token later as targets.

    Args:
        tokens: (n,) int64, the text.
        starts: (B,) int64, the position at which each piece begins.
        span: tokens of a piece.

    Returns:
        Inputs, (B, span), and targets, (B, span): target t is the token right after input t.
        Both are on the device of ``tokens``.

    Raises:
        ValueError: a piece, or its last target, lies outside the text.
    """
    last = len(tokens) - span - 1
    if len(starts) and not 0 <= int(starts.min()) <= int(starts.max()) <= last:
        raise ValueError(f"a piece of {span} tokens and the next do not fit into {len(tokens)}")
    found = tokens[starts[:, None] + torch.arange(span + 1, device=starts.device)]
    return found[:, :-1], found[:, 1:]


def causal_loss(logits: Tensor, tokens: Tensor, mask: Tensor | None = None) -> Tensor:
    """Loss of next-token prediction: the target at each position is the next token.

    L = mean over t of −ln p(token t + 1 | tokens up to t), in nats. The last position has no
    target.

    Args:
        logits: (B, T, V) float: those at position t predict token t + 1.
        tokens: (B, T) int64, T ≥ 2.
        mask: (B, T) bool, which tokens are text; None for all. The others are padding at the end of
            a row: they are never targets, and the logits at their positions do not matter, even if
            they are NaN. The gradient there is 0.

    Returns:
        (), the mean over all targets, in all rows together.
    """
    logits, tokens = logits[:, :-1], tokens[:, 1:]
    if mask is not None:
        logits, tokens = logits[mask[:, 1:]], tokens[mask[:, 1:]]  # -> (asked, V), (asked,)
    return -logits.log_softmax(dim=-1).gather(-1, tokens[..., None]).mean()


def perplexity(losses: Tensor, mask: Tensor) -> Tensor:
    """Perplexity: e raised to the mean loss, the number of equally likely tokens with this loss.

    Args:
        losses: (B, T) float, −ln p of each token.
        mask: (B, T) bool, which of them count; the others may be anything, even NaN.

    Returns:
        (); every token that counts has the same weight, whether its row is short or long.
    """
    return losses[mask].mean().exp()


def text_losses(
    model: Callable[[Tensor], Tensor], tokens: Tensor, *, span: int, stride: int
) -> Tensor:
    """The loss of every token of a text that is longer than a model's context window.

    Windows of ``span`` tokens begin at 0, at ``stride``, at 2 · stride and so on, until one reaches
    the end; the last may be shorter. Each token is predicted in the first window that contains it
    and the token before it, and in no other.

    Args:
        model: maps tokens (1, n), n ≤ span, to logits (1, n, V) of the token after each.
        tokens: (n,) int64, n ≥ 2.
        span: 2 or more.
        stride: from 1 to span − 1. The smaller, the more context each token has, and the higher the
            cost.

    Returns:
        (n - 1,): −ln p of token 1, 2, ... in nats.
    """
    found: list[Tensor] = []
    asked, start = 1, 0  # `asked`: the first token that no window has asked for
    while asked < len(tokens):
        part = tokens[start : start + span]
        log_p = model(part[None])[0, :-1].log_softmax(dim=-1)
        losses = -log_p.gather(-1, part[1:, None])[:, 0]  # of tokens start + 1, start + 2, ...
        found.append(losses[asked - start - 1 :])
        asked, start = start + len(part), start + stride
    return torch.cat(found)


# speculative decoding


def acceptance(target: Tensor, draft: Tensor) -> Tensor:
    """Probability of accepting a token that the draft model proposes: min(1, p / q).

    Leviathan et al. 2023, section 2.3.

    Args:
        target: p, (..., V) float, probabilities of the model whose distribution the text must have.
        draft: q, (..., V) float, probabilities of the model that proposes.

    Returns:
        (..., V); 1 for tokens that the draft model never proposes.
    """
    return torch.where(draft > target, target / draft, 1.0)


def residual(target: Tensor, draft: Tensor) -> Tensor:
    """Distribution that replaces a rejected proposal: max(p − q, 0), divided by its sum.

    Leviathan et al. 2023, section 2.3: the probability that the draft model lacks.

    Args:
        target: p, (..., V) float, probabilities.
        draft: q, (..., V) float, probabilities.

    Returns:
        (..., V), probabilities; p itself if p and q are equal, so that nothing is left.
    """
    left = (target - draft).clamp(min=0)
    total = left.sum(dim=-1, keepdim=True)
    return torch.where(total > 0, left / total, target)


def speculative_step(target: Tensor, draft: Tensor, tokens: Tensor, uniform: Tensor) -> Tensor:
    """Check the draft model's proposals, all at once (Leviathan et al. 2023, algorithm 1).

    From the left, proposals are accepted until one is rejected; it and all after it are dropped.
    Then one extra token is sampled: from the residual at the place of the rejected one, or, if all
    are accepted, from the target model's distribution after the last. So a step yields 1 to n + 1
    tokens.

    Args:
        target: (n + 1, V) float, the target's probabilities for the place of each proposal, and for
            the place after the last.
        draft: (n, V) float, the probabilities that the proposals were drawn from.
        tokens: (n,) int64, the proposals.
        uniform: (n + 1,) float in [0, 1). Proposal t is accepted if number t is below its
            `acceptance`; `draw_next` samples the extra token with the last number.

    Returns:
        (m + 1,) int64: the m accepted proposals, and the extra token.
    """
    n = len(tokens)
    chances = acceptance(target[:n], draft).gather(-1, tokens[:, None])[:, 0]  # (n, V) -> (n,)
    kept = int((uniform[:n] < chances).cumprod(dim=0).sum())
    more = target[n] if kept == n else residual(target[kept], draft[kept])
    return torch.cat([tokens[:kept], draw_next(more.log()[None], uniform[n:])])


def expected_tokens(share: Tensor, ahead: int) -> Tensor:
    """Mean number of tokens that one pass of the target model yields.

    1 + a + a² + … + aⁿ, if each proposal is accepted with probability a (Leviathan et al. 2023, eq.
    1).

    Args:
        share: a, (...) float from 0 to 1.
        ahead: n, number of tokens that are proposed at a time; 0 or more.

    Returns:
        (...), from 1 to n + 1.
    """
    return sum((share**t for t in range(1, ahead + 1)), torch.ones_like(share))


@torch.no_grad()
def speculate(
    target: Callable[[Tensor], Tensor],
    draft: Callable[[Tensor], Tensor],
    prompt: Tensor,
    *,
    count: int,
    ahead: int,
    generator: torch.Generator | None = None,
) -> tuple[Tensor, int]:
    """Generate text with two models: one proposes, the other decides.

    Args:
        target: maps tokens (1, n) to logits (1, n, V) of the token after each: the model whose
            distribution the text must have.
        draft: the same, of a cheaper model.
        prompt: (T,) int64, T ≥ 1.
        count: tokens to generate.
        ahead: tokens that are proposed at a time.
        generator: of the random numbers, on the CPU.

    Returns:
        (count,) int64, the new tokens, without the prompt; and the number of passes of the target
        model.
    """

    def chance(number: int) -> Tensor:
        return torch.rand(number, generator=generator).to(prompt.device)

    tokens, passes = prompt, 0
    while len(tokens) < len(prompt) + count:
        proposed, believed = tokens, []
        for _ in range(ahead):
            logits = draft(proposed[None])[0, -1:]  # (1, n, V) -> (1, V)
            believed.append(logits.softmax(dim=-1))
            proposed = torch.cat([proposed, draw_next(logits, chance(1))])
        wanted = target(proposed[None])[0, len(tokens) - 1 :].softmax(dim=-1)  # (ahead + 1, V)
        passes += 1
        q = torch.cat(believed) if ahead else wanted[:0]
        gained = speculative_step(wanted, q, proposed[len(tokens) :], chance(ahead + 1))
        tokens = torch.cat([tokens, gained])
    return tokens[len(prompt) : len(prompt) + count], passes


# what more of everything brings


def fit_power_law(x: Tensor, y: Tensor, *, offset: float = 0.0) -> tuple[Tensor, Tensor, Tensor]:
    """Fit a power law by a line in logarithms: y ≈ offset + a x⁻ᵅ.

    Least squares of ln(y − offset) on ln x (Kaplan et al. 2020, section 1.2, has no offset; in
    Hoffmann et al. 2022, eq. 2, it is the loss with unlimited parameters and text).

    Args:
        x: (n,) float, above 0, n ≥ 3, not all the same: parameters, tokens, or products of them.
        y: (n,) float, above ``offset``: losses.
        offset: lower limit of y; known here, and not fitted.

    Returns:
        a, α, and the standard error of α, () each. The standard error is √(S / ((n − 2) R)), where
        S is the sum of the squared residuals of ln(y − offset) and R the sum of (ln x − its mean)².
    """
    across, up = x.log(), (y - offset).log()
    centered = across - across.mean()
    spread = centered.square().sum()
    slope = (centered * up).sum() / spread
    start = up.mean() - slope * across.mean()
    left = up - start - slope * across
    return start.exp(), -slope, (left.square().sum() / (len(x) - 2) / spread).sqrt()


def compute_optimal(
    flops: Tensor, *, a: float, alpha: float, b: float, beta: float
) -> tuple[Tensor, Tensor]:
    """Divide a budget between parameters and text so that E + a N⁻ᵅ + b D⁻ᵝ is smallest.

    Training N parameters on D tokens takes C = 6 N D multiplications and additions. Of all pairs
    with that product, the best has N = G (C/6)^{β/(α+β)} and D = G⁻¹ (C/6)^{α/(α+β)}, with
    G = (α a / (β b))^{1/(α+β)} (Hoffmann et al. 2022, eq. 4). E does not matter.

    Args:
        flops: C, (...) float, above 0.
        a: above 0: the price of few parameters.
        alpha: α, above 0.
        b: above 0: the price of little text.
        beta: β, above 0.

    Returns:
        N and D, (...) each, of the dtype of ``flops``, not rounded.
    """
    lean = (alpha * a / (beta * b)) ** (1 / (alpha + beta))
    product = flops / 6
    parameters = lean * product ** (beta / (alpha + beta))
    return parameters, product / parameters


# parameters that cost nothing until they are chosen


def route(logits: Tensor, k: int, *, renormalize: bool = True) -> tuple[Tensor, Tensor]:
    """Choose the k experts with the largest logits for each token, and weigh them.

    A softmax over the chosen logits alone (Shazeer et al. 2017, without their noise), which equals
    the softmax over all experts, divided by the sum of the k chosen probabilities. With k = 1 this
    weight is always 1, and the router gets no gradient from it; therefore Fedus et al. 2021 do not
    divide.

    Args:
        logits: (..., E) float, one per expert.
        k: from 1 to E.
        renormalize: whether the k weights sum to 1; otherwise they are probabilities of the softmax
            over all E experts.

    Returns:
        Weights, (..., k), the largest first; and the experts that they belong to, (..., k) int64.
        Of equal logits the first expert is chosen first.

    Raises:
        ValueError: k is below 1 or above E.
    """
    if not 1 <= k <= logits.shape[-1]:
        raise ValueError(f"k must be from 1 to {logits.shape[-1]}, the number of experts; got {k}")
    ordered, order = logits.sort(descending=True, stable=True)
    if renormalize:
        return ordered[..., :k].softmax(dim=-1), order[..., :k]  # (..., E) -> (..., k)
    return ordered.softmax(dim=-1)[..., :k], order[..., :k]


def load_balance(logits: Tensor, chosen: Tensor) -> Tensor:
    """Load-balancing loss: large if the experts that are chosen often are also the likely ones.

    E Σ fᵢ Pᵢ (Fedus et al. 2021, eq. 4 to 6, without the factor α), where fᵢ is the share of all
    choices that went to expert i, and Pᵢ the mean over all tokens of its probability, from a
    softmax over all experts. A choice has no derivative, so the gradient comes from Pᵢ alone.

    Args:
        logits: (..., E) float, one per expert.
        chosen: (..., k) int64, the experts of each token, see `route`.

    Returns:
        (): 1 if all fᵢ or all Pᵢ are equal, and nearly E if one expert gets everything.
    """
    experts = logits.shape[-1]
    likely = logits.softmax(dim=-1).reshape(-1, experts).mean(dim=0)  # P, (E,)
    share = F.one_hot(chosen.flatten(), experts).to(likely.dtype).mean(dim=0)  # f, (E,)
    return experts * (share * likely).sum()


def capacity(tokens: int, num_experts: int, *, k: int = 1, factor: float = 1.0) -> int:
    """Number of choices that one expert accepts from a batch.

    factor · k · tokens / experts, rounded up (Fedus et al. 2021, eq. 3, where k is 1).

    Args:
        tokens: tokens of the batch.
        num_experts: E.
        k: experts that each token chooses.
        factor: 1 leaves room for exactly equal shares.

    Returns:
        The capacity.
    """
    return math.ceil(factor * k * tokens / num_experts)


def within_capacity(chosen: Tensor, num_experts: int, limit: int) -> Tensor:
    """Decide which choices are accepted, if no expert accepts more than a given number.

    First choices come before all second choices, those before all third ones, and so on; among
    choices of the same rank, the earlier token comes first. An expert accepts choices in this
    order until it is full; the others are dropped, and do not move to another expert.

    Args:
        chosen: (n, k) int64, the experts of each token, the first choice first.
        num_experts: E.
        limit: choices that an expert accepts, see `capacity`.

    Returns:
        (n, k) bool; False for a choice that is dropped.
    """
    hits = F.one_hot(chosen.T.flatten(), num_experts)  # (n, k) -> (k · n, E), first choices first
    place = (hits.cumsum(dim=0) * hits).sum(dim=-1)  # (k · n,); an expert's first choice has 1
    return (place <= limit).unflatten(0, chosen.T.shape).T


class MixtureOfExperts(nn.Module):
    """Several feed-forward networks, of which each token passes through only k.

    Σ gᵢ(x) FFNᵢ(x) over the k experts that the router chooses (Shazeer et al. 2017). With k = 1,
    gᵢ is the router's probability, as in Fedus et al. 2021; with a larger k the weights sum to 1,
    see `route`. An expert processes only the tokens that have chosen it. With a capacity
    factor, choices beyond `capacity` add 0, and the other weights of the token stay as they are;
    the tokens of all leading axes share the capacity, in row-major order.

    Attributes:
        router: `nn.Linear` without bias, ``router.weight`` (num_experts, features), initialized as
            in `nn.Linear`.
        experts: `nn.ModuleList` of `FeedForward`.
        balance: `load_balance` of the last call, (), to be added to the loss with a small factor;
            None before the first call. It holds the graph of that call, so set it to None before
            you copy a module that has been trained.
    """

    def __init__(
        self,
        features: int,
        hidden: int,
        *,
        num_experts: int,
        k: int = 1,
        factor: float | None = None,
        activation: str = "relu",
        device: torch.device | str | None = None,
    ) -> None:
        """Make the router and the experts.

        Args:
            features: D, size of the input and of the output.
            hidden: hidden units of each expert.
            num_experts: E.
            k: experts that each token passes through, from 1 to E.
            factor: capacity factor; None for no limit.
            activation: of the experts, as in `FeedForward`.
            device: where the parameters go.
        """
        super().__init__()
        self.k, self.factor = k, factor
        self.router = nn.Linear(features, num_experts, bias=False, device=device)
        self.experts = nn.ModuleList(
            FeedForward(features, hidden, activation=activation, device=device)
            for _ in range(num_experts)
        )
        self.balance: Tensor | None = None

    def forward(self, x: Tensor) -> Tensor:
        """Send every token to its experts, and add their outputs, weighted.

        Args:
            x: (..., D) float.

        Returns:
            (..., D).
        """
        rows = x.reshape(-1, x.shape[-1])  # (..., D) -> (n, D)
        logits = self.router(rows)  # (n, E)
        weights, chosen = route(logits, self.k, renormalize=self.k > 1)  # (n, k) each
        self.balance = load_balance(logits, chosen)
        if self.factor is not None:
            limit = capacity(len(rows), len(self.experts), k=self.k, factor=self.factor)
            chosen = chosen.where(within_capacity(chosen, len(self.experts), limit), -1)
        places, parts = [], []
        for number, expert in enumerate(self.experts):
            token, rank = (chosen == number).nonzero(as_tuple=True)
            part = expert(rows[token])  # (tokens of this expert, D)
            places.append(token)
            parts.append(weights[token, rank, None] * part)
        found = torch.cat(parts)
        out = found.new_zeros(rows.shape).index_add(0, torch.cat(places), found)
        return out.view(x.shape)
