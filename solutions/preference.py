"""Post-training: demonstrations, preferences, and rewards that can be checked.

Builds the masks of supervised fine-tuning (the tokens that count in the loss, and the texts of a
packed row); the log-probability of an answer; a reward model from comparisons, direct preference
optimization, best-of-n sampling, and pass@k; and policy gradients: baselines, group-relative
advantages, the clipped ratio, three estimates of a divergence, and the loss of GRPO, which combines
them.

A row of tokens is a prompt, its answer, and whatever comes after. An answer ends with an end token,
which is part of it: a model must also learn to stop.

Sources: Williams 1992, "Simple Statistical Gradient-Following Algorithms for Connectionist
Reinforcement Learning"; Bradley and Terry 1952, "Rank Analysis of Incomplete Block Designs"; Ouyang
et al. 2022, "Training Language Models to Follow Instructions with Human Feedback"; Rafailov et al.
2023, "Direct Preference Optimization"; Schulman et al. 2017, "Proximal Policy Optimization
Algorithms"; Schulman 2020, "Approximating KL Divergence"; Kool, van Hoof and Welling 2019, "Buy 4
REINFORCE Samples, Get a Baseline for Free!"; Shao et al. 2024, "DeepSeekMath" (GRPO); Liu et al.
2025, "Understanding R1-Zero-Like Training"; Chen et al. 2021, "Evaluating Large Language Models
Trained on Code" (pass@k).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from solutions.gpt import cached, generate
from solutions.transformer import DecoderOnly

DIGITS = "0123456789"

# demonstrations


def answer_mask(tokens: Tensor, prompts: Tensor, *, end: int) -> Tensor:
    """Mark the tokens of each row's answer, which count in the loss.

    The answer begins after the prompt, and ends with its first ``end``, which is part of it. All
    tokens after it are padding. A prompt may contain ``end``, too, where it ends nothing.

    Args:
        tokens: (B, T) int64: prompt, answer, and padding.
        prompts: (B,) int64, the length of each prompt, from 0 to T.
        end: the token that ends an answer. Without it, the answer extends to the end of the row.

    Returns:
        (B, T) bool on the device of ``tokens``.
    """
    places = torch.arange(tokens.shape[1], device=tokens.device)
    behind = places >= prompts[:, None]  # (B, T)
    ends = behind & (tokens == end)
    return behind & (ends.cumsum(dim=1) - ends.long() == 0)  # no end before it


def packed_mask(documents: Tensor) -> Tensor:
    """Mask for several short texts in one row: each token sees the past of its own text.

    Args:
        documents: (B, T) int64, the number of the text that each token belongs to. The tokens of a
            text are neighbors; numbers need not be in order, and two rows may use the same ones.

    Returns:
        (B, T, T) bool on the device of ``documents``; True may attend. Rows are queries, columns
        are keys.
    """
    past = torch.ones(2 * documents.shape[1:], dtype=torch.bool, device=documents.device).tril()
    return past & (documents[:, :, None] == documents[:, None, :])


# what an answer is worth to a model


def token_log_probs(logits: Tensor, tokens: Tensor) -> Tensor:
    """The log-probability of every token after the first, given those before it.

    Args:
        logits: (B, T, V) float: those at position t predict token t + 1.
        tokens: (B, T) int64.

    Returns:
        (B, T - 1), in nats: entry t is ln p(token t + 1 | tokens up to t).
    """
    log_p = logits[:, :-1].log_softmax(dim=-1)
    return log_p.gather(-1, tokens[:, 1:, None])[..., 0]  # (B, T - 1, V) -> (B, T - 1)


def sequence_log_probs(logits: Tensor, tokens: Tensor, mask: Tensor) -> Tensor:
    """The log-probability of each answer: the sum over its tokens.

    ln π(y | x) = Σ_t ln π(y_t | x, y_1, ..., y_(t−1)): the logarithm of a product.

    Args:
        logits: (B, T, V) float: those at position t predict token t + 1.
        tokens: (B, T) int64.
        mask: (B, T) bool, which tokens are the answer; never the first of a row. Logits for the
            other tokens do not matter, even if they are NaN: the gradient there is 0.

    Returns:
        (B,), in nats; 0 for an answer of no tokens.
    """
    asked = F.pad(mask[:, 1:], (0, 1))[..., None]  # logits at t are about token t + 1
    found = token_log_probs(logits.masked_fill(~asked, 0.0), tokens)
    return torch.where(mask[:, 1:], found, 0.0).sum(dim=1)


# preferences


def final_scores(scores: Tensor, mask: Tensor) -> Tensor:
    """Read the score at the last token of each answer, from the scores of all positions.

    Only there has a causal model read the whole answer and no padding.

    Args:
        scores: (B, T) float.
        mask: (B, T) bool, which tokens are the answer; at least one in each row.

    Returns:
        (B,), on the device of ``scores``.
    """
    places = torch.arange(mask.shape[1], device=mask.device)
    last = torch.where(mask, places, -1).amax(dim=1)  # (B, T) -> (B,)
    return scores.gather(1, last[:, None])[:, 0]


def bradley_terry_loss(chosen: Tensor, rejected: Tensor) -> Tensor:
    """Loss of scores that should order pairs: the mean of −ln σ(r(chosen) − r(rejected)).

    σ(r(a) − r(b)) is the probability that a is preferred to b (Bradley and Terry 1952).

    Args:
        chosen: (B,) float, scores of the preferred answers; differences may be very large.
        rejected: (B,) float, scores of the other answers.

    Returns:
        (), in nats.
    """
    return -F.logsigmoid(chosen - rejected).mean()


def implicit_reward(log_probs: Tensor, reference: Tensor, *, beta: float) -> Tensor:
    """The reward for which a model is the optimal policy: β (ln π(y | x) − ln π₀(y | x)).

    It holds up to a number that depends only on the prompt (Rafailov et al. 2023, eq. 5).

    Args:
        log_probs: (...) float, ln π of each answer.
        reference: (...) float, ln π₀, of the reference model; it gets no gradient.
        beta: β, the price per nat of divergence from the reference.

    Returns:
        (...).
    """
    return beta * (log_probs - reference.detach())


def dpo_loss(
    chosen: Tensor,
    rejected: Tensor,
    reference_chosen: Tensor,
    reference_rejected: Tensor,
    *,
    beta: float,
) -> Tensor:
    """Learn from comparisons without a reward model: `bradley_terry_loss` of implicit rewards.

    Rafailov et al. 2023, eq. 7.

    Args:
        chosen: (B,) float, ln π of the preferred answers.
        rejected: (B,) float, ln π of the others.
        reference_chosen: (B,) float, ln π₀ of the preferred answers; it gets no gradient.
        reference_rejected: (B,) float, ln π₀ of the others; it gets no gradient either.
        beta: β of `implicit_reward`.

    Returns:
        (), in nats: ln 2 as long as the model equals its reference.
    """
    return bradley_terry_loss(
        implicit_reward(chosen, reference_chosen, beta=beta),
        implicit_reward(rejected, reference_rejected, beta=beta),
    )


def best_of_n(probabilities: Tensor, rewards: Tensor, n: int) -> Tensor:
    """The distribution of the best of n answers: sample n, keep one with the largest reward.

    The best is as good as y with probability P(all n are at most as good as y) − P(all n are worse
    than y). Answers with the same reward share this probability in proportion to their own.

    Args:
        probabilities: (Y,) float, of all possible answers; they sum to 1, and may be 0.
        rewards: (Y,) float; equal ones are equally good.
        n: 1 or more.

    Returns:
        (Y,), which sums to 1; 0 for answers of probability 0.
    """
    better = rewards[:, None] > rewards  # (Y, Y): is the first better than the second?
    equal = rewards[:, None] == rewards
    worse = (better * probabilities).sum(dim=1)  # the probability to draw something worse
    alike = (equal * probabilities).sum(dim=1)
    found = (worse + alike) ** n - worse**n
    return torch.where(alike > 0, found * probabilities / alike, 0.0)


def pass_at_k(right: Tensor, samples: int, k: int) -> Tensor:
    """Estimate pass@k without bias: the probability that at least one of k samples is right.

    1 − C(n − c, k) / C(n, k): of all ways to choose k of the n samples, the share that includes a
    right one (Chen et al. 2021). On average it equals 1 − (1 − p)ᵏ, where p is the probability that
    a sample is right; 1 − (1 − c/n)ᵏ is lower on average.

    Args:
        right: (...) int64, for each prompt the number of its samples that are right, c.
        samples: n, the number of samples per prompt.
        k: from 1 to n.

    Returns:
        (...) float64; 1 where fewer than k samples are wrong.

    Raises:
        ValueError: k is below 1 or above n.
    """
    if not 1 <= k <= samples:
        raise ValueError(f"k must be from 1 to {samples}, the number of samples; got {k}")
    taken = torch.arange(k, dtype=torch.float64, device=right.device)
    wrong = (samples - right)[..., None] - taken  # (..., k), left when some are taken
    return 1 - (wrong / (samples - taken)).prod(dim=-1)


# rewards


def check_answer(prompt: str, answer: str, *, end: str = ".") -> tuple[bool, bool]:
    """Verify an answer to "sort these digits": whether it has the form, and whether it is right.

    The form: one or more of the digits 0 to 9, then ``end``, and nothing else before it. Text after
    the first ``end`` does not belong to the answer and does not count.

    Args:
        prompt: the digits to be sorted, any number of them, possibly repeated.
        answer: the model's text.
        end: one character, which ends the answer; not a digit.

    Returns:
        Whether the answer has the form; and whether it has the form and consists of the prompt's
        digits, each as often as in the prompt, in rising order.
    """
    said, ended, _ = answer.partition(end)
    form = ended == end and said != "" and all(character in DIGITS for character in said)
    return form, form and said == "".join(sorted(prompt))


# policy gradients


def policy_gradient_loss(log_probs: Tensor, advantages: Tensor, mask: Tensor) -> Tensor:
    """A loss whose gradient is minus that of the expected reward (Williams 1992).

    −(1/B) Σ_b A_b Σ_t ln π(y_bt | ...). Its value has no meaning.

    Args:
        log_probs: (B, T) float, of every token, under the model that sampled them.
        advantages: (B,) float, A of each answer: its reward minus a baseline. They get no gradient.
        mask: (B, T) bool, which tokens are the answer. The others do not count, even if
            their log-probability is NaN.

    Returns:
        (), the mean over answers of a sum over tokens.
    """
    answers = torch.where(mask, log_probs, 0.0).sum(dim=1)  # (B, T) -> (B,)
    return -(advantages.detach() * answers).mean()


def leave_one_out(rewards: Tensor) -> Tensor:
    """Reward minus the mean reward of the *other* answers to the same prompt (Kool et al. 2019).

    The baseline of an answer does not depend on that answer, so the gradient stays unbiased.

    Args:
        rewards: (P, G) float, of G answers to each of P prompts.

    Returns:
        (P, G).

    Raises:
        ValueError: there is only one answer per prompt.
    """
    count = rewards.shape[1]
    if count < 2:
        raise ValueError("leave_one_out needs two answers per prompt or more, got one")
    others = (rewards.sum(dim=1, keepdim=True) - rewards) / (count - 1)
    return rewards - others


def group_advantages(rewards: Tensor, *, scale: bool = True) -> Tensor:
    """Compare each answer with its group, in standard deviations of the group's rewards.

    (r − mean) / std over the group (Shao et al. 2024, section 4.1.2), where std divides by G.

    Args:
        rewards: (P, G) float, of G answers to each of P prompts.
        scale: whether to divide by the standard deviation; if False, only the mean is subtracted
            (Liu et al. 2025).

    Returns:
        (P, G). If all rewards of a group are the same, exactly 0, because it teaches nothing. A
        group of one is such a group.
    """
    centered = rewards - rewards.mean(dim=1, keepdim=True)
    same = (rewards == rewards[:, :1]).all(dim=1, keepdim=True)  # (P, G) -> (P, 1)
    if scale:
        spread = centered.square().mean(dim=1, keepdim=True).sqrt()
        centered = centered / torch.where(same, 1.0, spread)
    return torch.where(same, 0.0, centered)


def clipped_loss(
    log_probs: Tensor, old: Tensor, advantages: Tensor, mask: Tensor, *, clip: float = 0.2
) -> Tensor:
    """Policy gradient for answers that an earlier model sampled (Schulman et al. 2017, eq. 7).

    −(1/B) Σ_b Σ_t min(ρ A_b, clip(ρ, 1 − c, 1 + c) A_b), with ρ = π(y_bt) / π_old(y_bt), the ratio
    of each token. A token of a good answer whose ratio is above 1 + c gets no gradient, nor does a
    token of a bad answer whose ratio is below 1 − c.

    Args:
        log_probs: ln π, (B, T) float, possibly far below 0.
        old: ln π_old, (B, T) float, of the model that sampled the answers; it gets no
            gradient. No ρ overflows.
        advantages: A, (B,) float; they get no gradient.
        mask: (B, T) bool, which tokens are the answer; the others do not count, even if NaN.
        clip: c.

    Returns:
        (), the mean over answers of a sum over tokens.
    """
    ratio = torch.exp(torch.where(mask, log_probs - old.detach(), 0.0))
    gain = advantages.detach()[:, None]  # (B,) -> (B, 1)
    least = torch.minimum(ratio * gain, ratio.clamp(1 - clip, 1 + clip) * gain)
    return -torch.where(mask, least, 0.0).sum(dim=1).mean()


def kl_estimates(log_probs: Tensor, reference: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Estimate KL(π ‖ π₀) from samples of π in three ways (Schulman 2020).

    With s = π₀ / π: k1 = −ln s, k2 = (ln s)² / 2, k3 = s − 1 − ln s. k1 and k3 are right on
    average; k2 and k3 are never negative, except by rounding if s is near 1.

    Args:
        log_probs: ln π of the samples, (...) float, possibly far below 0.
        reference: ln π₀ of the same samples, (...) float.

    Returns:
        k1, k2 and k3, each (...), in nats.
    """
    difference = reference - log_probs
    return -difference, difference.square() / 2, torch.expm1(difference) - difference


def kl_divergence(logits: Tensor, reference: Tensor, mask: Tensor) -> Tensor:
    """Divergence of a model from its reference along each answer, without sampling of tokens.

    Σ_t KL(π(· | up to t) ‖ π₀(· | up to t)): at each position, the sum is over the whole
    vocabulary. If the answers are sampled from π, the mean of this sum is the divergence of the
    distributions over answers. It stays finite if a probability is too small to represent.

    Args:
        logits: of π, (B, T, V) float: those at position t predict token t + 1.
        reference: of π₀, (B, T, V) float; it gets no gradient.
        mask: (B, T) bool, which tokens are the answer; never the first of a row.

    Returns:
        (B,), in nats.
    """
    log_p, log_q = (z[:, :-1].log_softmax(dim=-1) for z in (logits, reference.detach()))
    each = (log_p.exp() * (log_p - log_q)).sum(dim=-1)  # (B, T - 1, V) -> (B, T - 1)
    return torch.where(mask[:, 1:], each, 0.0).sum(dim=1)


def grpo_loss(
    log_probs: Tensor,
    old: Tensor,
    reference: Tensor,
    rewards: Tensor,
    mask: Tensor,
    *,
    clip: float = 0.2,
    beta: float = 0.0,
) -> Tensor:
    """The loss of group-relative policy optimization (Shao et al. 2024, eq. 3).

    `clipped_loss` with `group_advantages`, plus β times the mean over answers of their k3 (see
    `kl_estimates`), summed over tokens. (The paper takes the mean over an answer's tokens; then a
    long wrong answer costs less per token, see Liu et al. 2025.)

    Args:
        log_probs: ln π, (B, T) float, with B = P · G: the G answers to the first prompt come first.
        old: ln π_old, (B, T) float; it gets no gradient. No π / π_old overflows.
        reference: ln π₀, (B, T) float; it gets no gradient.
        rewards: (P, G) float; they get no gradient.
        mask: (B, T) bool, which tokens are the answer; the others do not count.
        clip: of `clipped_loss`.
        beta: β ≥ 0, the price per nat of divergence.

    Returns:
        ().
    """
    loss = clipped_loss(log_probs, old, group_advantages(rewards).flatten(), mask, clip=clip)
    *_, k3 = kl_estimates(log_probs[mask], reference.detach()[mask])
    return loss + beta * k3.sum() / len(mask)


# models at work


def write_answers(model: DecoderOnly, prompts: Tensor, uniform: Tensor) -> Tensor:
    """Sample a model's answers to prompts of one length, from its unmodified distribution.

    Args:
        model: any `DecoderOnly`.
        prompts: (B, T) int64.
        uniform: (B, count) float in [0, 1), as `generate` takes it.

    Returns:
        (B, T + count) int64: the prompts, and the sampled tokens.
    """
    with torch.no_grad():
        return torch.cat([prompts, generate(cached(model), prompts, uniform)], dim=1)


class RewardModel(nn.Module):
    """A language model with one score in place of its logits.

    Attributes:
        body: the given `DecoderOnly`; its ``head`` is replaced by an `nn.Linear` without bias, (1,
            embed_dim), whose weight starts at 0.
    """

    def __init__(self, body: DecoderOnly) -> None:
        """Replace the head.

        Args:
            body: a model, for example after fine-tuning; it is changed, so pass a copy.
        """
        super().__init__()
        weight = body.embed.weight
        body.head = nn.Linear(weight.shape[1], 1, bias=False, device=weight.device).to(weight.dtype)
        nn.init.zeros_(body.head.weight)
        self.body = body

    def forward(self, tokens: Tensor, mask: Tensor) -> Tensor:
        """Score answers.

        Args:
            tokens: (B, T) int64.
            mask: (B, T) bool, which tokens are the answer.

        Returns:
            (B,).
        """
        return final_scores(self.body(tokens)[..., 0], mask)
