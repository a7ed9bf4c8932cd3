"""`solutions.preference`, mostly by counting everything that can happen."""

import copy
import itertools
import math
from functools import partial

import draws
import pytest
import torch
from torch.nn import functional as F

from solutions.gpt import GPT, causal_loss
from solutions.preference import (
    RewardModel,
    answer_mask,
    best_of_n,
    bradley_terry_loss,
    check_answer,
    clipped_loss,
    dpo_loss,
    final_scores,
    group_advantages,
    grpo_loss,
    implicit_reward,
    kl_divergence,
    kl_estimates,
    leave_one_out,
    packed_mask,
    policy_gradient_loss,
    sequence_log_probs,
    token_log_probs,
    write_answers,
)

draw = partial(draws.draw, scale=2)

KINDS, LENGTH = 3, 3  # tokens, and how many of them an answer has
ALL = torch.tensor(list(itertools.product(range(KINDS), repeat=LENGTH)))  # every answer there is
PROMPT = torch.tensor([[1, 2]])


def model(seed, *, kinds=KINDS, positions="rotary", std=0.7):
    torch.manual_seed(seed)
    made = GPT(
        kinds,
        embed_dim=12,
        num_heads=3,
        num_layers=2,
        longest=23,
        positions=positions,
        std=std,
    )
    return made.double().eval()


def every_answer(kinds=ALL):
    tokens = torch.cat([PROMPT.expand(len(kinds), -1), kinds], dim=1)
    mask = torch.zeros(tokens.shape, dtype=torch.bool)
    mask[:, PROMPT.shape[1] :] = True
    return tokens, mask


def gradient(loss, of):
    return torch.cat([part.flatten() for part in torch.autograd.grad(loss, list(of.parameters()))])


# demonstrations


def test_the_loss_of_an_answer_hears_nothing_from_elsewhere(rng):
    tokens = torch.tensor([[3, 1, 4, 2, 0, 1], [1, 0, 2, 0, 3, 3]])
    mask = answer_mask(tokens, torch.tensor([2, 1]), end=0)
    assert mask.long().tolist() == [[0, 0, 1, 1, 1, 0], [0, 1, 0, 0, 0, 0]]
    logits = draw(rng, 2, 6, 5).requires_grad_()
    causal_loss(logits, tokens, mask).backward()
    heard = logits.grad.abs().sum(-1) > 0
    assert torch.equal(heard[:, :-1], mask[:, 1:])
    assert not heard[:, -1].any()


def test_packed_texts_are_as_if_alone():
    """With rotary positions, which see distances alone; logits, and gradients of the loss."""
    gpt = model(0, kinds=7)
    texts = [torch.randint(7, (n,), generator=torch.Generator().manual_seed(n)) for n in (5, 3, 4)]
    documents = torch.cat([torch.full_like(text, i) for i, text in enumerate(texts)])[None]
    packed = gpt(torch.cat(texts)[None], packed_mask(documents))[0].split([5, 3, 4])
    alone = [gpt(text[None])[0] for text in texts]
    for ours, theirs in zip(packed, alone, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-10, atol=1e-10)

    def total(found):
        return sum(
            F.cross_entropy(z[:-1], text[1:], reduction="sum")
            for z, text in zip(found, texts, strict=True)
        )

    torch.testing.assert_close(
        gradient(total(packed), gpt), gradient(total(alone), gpt), rtol=1e-8, atol=1e-8
    )
    leaking = gpt(torch.cat(texts)[None])[0].split([5, 3, 4])
    assert (leaking[1] - alone[1]).abs().max() > 1e-3


def test_answers_have_probabilities_that_sum_to_one():
    tokens, mask = every_answer()
    with torch.no_grad():
        found = sequence_log_probs(model(0)(tokens), tokens, mask)
    assert found.exp().sum().item() == pytest.approx(1, abs=1e-12)


def test_token_log_probs_are_minus_the_cross_entropy(rng):
    logits, tokens = draw(rng, 3, 7, 5), torch.randint(5, (3, 7), generator=rng)
    theirs = F.cross_entropy(logits[:, :-1].transpose(1, 2), tokens[:, 1:], reduction="none")
    torch.testing.assert_close(token_log_probs(logits, tokens), -theirs)


# preferences


def test_bradley_terry_finds_the_strengths_that_made_the_choices():
    strengths = torch.tensor([0.0, 0.7, -1.1, 2.0], dtype=torch.float64)
    pairs = torch.tensor(list(itertools.permutations(range(4), 2)))
    chances = torch.sigmoid(strengths[pairs[:, 0]] - strengths[pairs[:, 1]])
    scores = torch.zeros(4, dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.LBFGS([scores], max_iter=500, tolerance_grad=1e-13, tolerance_change=0)

    def closure():
        optimizer.zero_grad()
        loss = sum(
            chance * bradley_terry_loss(scores[pair[:1]], scores[pair[1:]])
            for pair, chance in zip(pairs, chances, strict=True)
        )
        loss.backward()
        return loss

    optimizer.step(closure)
    torch.testing.assert_close(scores - scores[0], strengths, atol=1e-5, rtol=0)


def test_dpo_is_bradley_terry_of_rewards_and_holds_the_reference(rng):
    values = [draw(rng, 5).requires_grad_() for _ in range(4)]
    loss = dpo_loss(*values, beta=0.3)
    chosen, rejected = (
        implicit_reward(values[0], values[2], beta=0.3),
        0.3 * (values[1] - values[3]),
    )
    torch.testing.assert_close(loss, bradley_terry_loss(chosen, rejected))
    grads = torch.autograd.grad(loss, values, allow_unused=True)
    assert grads[2] is None
    assert grads[3] is None
    assert (grads[0] < 0).all()
    assert (grads[1] > 0).all()


def test_the_policy_that_dpo_looks_for_is_the_reference_tilted_by_the_reward(rng):
    """With all pairs, chosen as a known reward says: π ∝ π₀ exp(r / β), to six digits."""
    beta, kinds = 0.5, 5
    reference = draw(rng, kinds).log_softmax(0)
    reward = draw(rng, kinds)
    pairs = torch.tensor(list(itertools.permutations(range(kinds), 2)))
    chances = torch.sigmoid(reward[pairs[:, 0]] - reward[pairs[:, 1]])
    logits = reference.clone().requires_grad_()
    optimizer = torch.optim.LBFGS([logits], max_iter=500, tolerance_grad=1e-13, tolerance_change=0)

    def closure():
        optimizer.zero_grad()
        log_p = logits.log_softmax(0)
        loss = 0
        for (a, b), chance in zip(pairs.tolist(), chances, strict=True):
            rows = (log_p[a : a + 1], log_p[b : b + 1], reference[a : a + 1], reference[b : b + 1])
            loss = loss + chance * dpo_loss(*rows, beta=beta)
        loss.backward()
        return loss

    optimizer.step(closure)
    best = (reference + reward / beta).softmax(0)
    torch.testing.assert_close(logits.detach().softmax(0), best, atol=1e-6, rtol=1e-4)


@pytest.mark.parametrize("n", [1, 2, 4])
def test_best_of_n_by_counting_all_draws(rng, n):
    chances = draw(rng, 4).softmax(0)
    rewards = torch.tensor([1.0, 0.0, 1.0, 2.0], dtype=torch.float64)
    counted = torch.zeros(4, dtype=torch.float64)
    for drawn in itertools.product(range(4), repeat=n):
        best = max(rewards[list(drawn)])
        winners = [y for y in drawn if rewards[y] == best]
        for y in winners:
            counted[y] += math.prod(chances[list(drawn)].tolist()) / len(winners)
    torch.testing.assert_close(best_of_n(chances, rewards, n), counted, rtol=1e-10, atol=1e-12)


def test_best_of_n_goes_no_farther_than_its_bound(rng):
    for n in (2, 5, 50):
        chances = draw(rng, 40).softmax(0)
        found = best_of_n(chances, draw(rng, 40), n)
        gap = (found * (found / chances).log().nan_to_num(neginf=0.0)).sum()
        assert 0 < gap <= math.log(n) - (n - 1) / n


# rewards


@pytest.mark.parametrize("prompt", ["", "7", "31", "0202", "95180"])
def test_of_all_short_answers_one_is_right(prompt):
    characters = sorted(set(prompt + "04"))
    right = []
    for length in range(len(prompt) + 2):
        for said in itertools.product(characters, repeat=length):
            form, good = check_answer(prompt, "".join(said) + ".9")
            assert form == (length > 0)
            if good:
                right.append("".join(said))
    assert right == (["".join(sorted(prompt))] if prompt else [])


# policy gradients


def rewards_of(tokens):
    return (tokens[:, PROMPT.shape[1] :] * torch.tensor([1.0, 3.0, -2.0])).sum(1).double()


def test_the_policy_gradient_is_the_gradient_of_the_expected_reward():
    """Summed over all answers, each with its probability; with any baseline, the same."""
    gpt = model(1)
    tokens, mask = every_answer()
    log_probs = F.pad(token_log_probs(gpt(tokens), tokens), (1, 0))
    chances = torch.where(mask, log_probs, 0.0).sum(1).exp()
    rewards = rewards_of(tokens)
    wanted = gradient(-(chances * rewards).sum(), gpt)
    for baseline in (0.0, 5.0, -3.0):
        weights = len(tokens) * chances.detach() * (rewards - baseline)
        log_probs = F.pad(token_log_probs(gpt(tokens), tokens), (1, 0))
        found = gradient(policy_gradient_loss(log_probs, weights, mask), gpt)
        torch.testing.assert_close(found, wanted, rtol=1e-8, atol=1e-9)


def test_leaving_one_out_is_unbiased_and_the_whole_groups_mean_is_too_small():
    """All pairs of answers, drawn independently."""
    chances = torch.tensor([0.5, 0.3, 0.2], dtype=torch.float64)
    rewards = torch.tensor([1.0, 0.0, 4.0], dtype=torch.float64)
    logits = chances.log().requires_grad_()
    wanted = torch.autograd.grad((logits.softmax(0) * rewards).sum(), logits)[0]
    sums = {"left out": 0.0, "mean of all": 0.0}
    for pair in itertools.product(range(3), repeat=2):
        pair = torch.tensor(pair)
        weight, drawn = chances[pair].prod(), rewards[pair][None]
        kinds = {
            "left out": leave_one_out(drawn),
            "mean of all": group_advantages(drawn, scale=False),
        }
        for name, gains in kinds.items():
            mask = torch.ones(2, 1, dtype=torch.bool)
            log_p = logits.log_softmax(0)[pair][:, None]
            loss = policy_gradient_loss(log_p, gains[0], mask)
            sums[name] = sums[name] - weight * torch.autograd.grad(loss, logits)[0]
    torch.testing.assert_close(sums["left out"], wanted, rtol=1e-12, atol=1e-12)
    torch.testing.assert_close(sums["mean of all"], wanted / 2, rtol=1e-12, atol=1e-12)


def test_group_advantages_have_mean_0_and_deviation_1_or_are_0(rng):
    rewards = draw(rng, 5, 7)
    rewards[2] = 0.1
    found = group_advantages(rewards)
    torch.testing.assert_close(found.mean(1), torch.zeros(5).double(), atol=1e-12, rtol=0)
    deviation = found.std(1, correction=0)
    torch.testing.assert_close(deviation, torch.tensor([1, 1, 0, 1, 1]).double())
    assert not found[2].any()
    assert torch.equal(group_advantages(rewards[:, :1]), torch.zeros(5, 1).double())


def test_at_the_old_model_the_clipped_loss_has_the_policy_gradient(rng):
    old, mask = draw(rng, 4, 5), torch.rand(4, 5, generator=rng) < 0.7
    gains = draw(rng, 4)
    here = old.clone().requires_grad_()
    clipped = torch.autograd.grad(clipped_loss(here, old, gains, mask), here)[0]
    plain = torch.autograd.grad(policy_gradient_loss(here, gains, mask), here)[0]
    torch.testing.assert_close(clipped, plain)


def test_what_has_gone_too_far_pushes_no_further_and_may_come_back():
    old = torch.zeros(4, 1, dtype=torch.float64)
    here = torch.tensor([[0.5], [-0.5], [0.5], [-0.5]], dtype=torch.float64, requires_grad=True)
    gains = torch.tensor([1.0, 1.0, -1.0, -1.0], dtype=torch.float64)
    loss = clipped_loss(here, old, gains, torch.ones(4, 1, dtype=torch.bool))
    moved = torch.autograd.grad(loss, here)[0][:, 0]
    assert moved[0] == 0
    assert moved[3] == 0
    assert moved[1] < 0 < moved[2]


def test_k1_and_k3_are_right_on_average_and_k3_varies_less(rng):
    p, q = draw(rng, 11).log_softmax(0), draw(rng, 11).mul(0.1).add(0)
    q = (p + q).log_softmax(0)
    truth = (p.exp() * (p - q)).sum()
    k1, k2, k3 = kl_estimates(p, q)
    mean = [(p.exp() * k).sum() for k in (k1, k2, k3)]
    variance = [(p.exp() * (k - truth).square()).sum() for k in (k1, k2, k3)]
    torch.testing.assert_close(mean[0], truth)
    torch.testing.assert_close(mean[2], truth)
    assert (mean[1] - truth).abs() > 1e-6 * truth
    assert min(k2.min(), k3.min()) >= 0 > k1.min()
    assert variance[2] < 0.2 * variance[0]


def test_the_divergence_along_drawn_answers_is_that_of_all_answers():
    """Exactly: the mean over all answers, each with its probability."""
    ours, theirs = model(1), model(2)
    tokens, mask = every_answer()
    with torch.no_grad():
        log_p, log_q = (sequence_log_probs(m(tokens), tokens, mask) for m in (ours, theirs))
        each = kl_divergence(ours(tokens), theirs(tokens), mask)
    truth = (log_p.exp() * (log_p - log_q)).sum()
    torch.testing.assert_close((log_p.exp() * each).sum(), truth)
    assert each.std() > 0  # it is the mean that is right


def test_k3_in_the_loss_pulls_to_the_reference_and_k1_does_not():
    p = torch.tensor([0.6, 0.3, 0.1], dtype=torch.float64).log().requires_grad_()
    q = torch.tensor([0.2, 0.3, 0.5], dtype=torch.float64).log()
    log_p = p.log_softmax(0)
    k1, _, k3 = kl_estimates(log_p, q)
    weights = log_p.exp().detach()
    still = torch.autograd.grad((weights * k1).sum(), p, retain_graph=True)[0]
    pulled = torch.autograd.grad((weights * k3).sum(), p)[0]
    torch.testing.assert_close(still, torch.zeros(3).double(), atol=1e-12, rtol=0)
    torch.testing.assert_close(pulled, (log_p.exp() - q.exp()).detach())  # of KL(q ‖ p)


def test_grpo_is_its_parts(rng):
    values = [draw(rng, 6, 5) for _ in range(3)]
    mask, rewards = torch.rand(6, 5, generator=rng) < 0.6, draw(rng, 2, 3)
    gains = group_advantages(rewards).flatten()
    price = torch.where(mask, kl_estimates(values[0], values[2])[2], 0.0).sum(1).mean()
    found = grpo_loss(*values, rewards, mask, clip=0.1, beta=0.3)
    wanted = clipped_loss(values[0], values[1], gains, mask, clip=0.1) + 0.3 * price
    torch.testing.assert_close(found, wanted)


def test_a_few_steps_of_grpo_earn_what_is_rewarded():
    """From a model of chance: the share of token 2 in three tokens."""
    gpt = model(3, std=0.2).float()
    reference = copy.deepcopy(gpt)
    optimizer = torch.optim.AdamW(gpt.parameters(), lr=1e-2, weight_decay=0)
    generator = torch.Generator().manual_seed(0)
    earned = []
    for _ in range(12):
        prompts = PROMPT.expand(32, -1)
        tokens = write_answers(gpt, prompts, torch.rand(32, LENGTH, generator=generator))
        rewards = (tokens[:, 2:] == 2).float().mean(1).view(4, 8)
        with torch.no_grad():
            old, fixed = (token_log_probs(m(tokens), tokens) for m in (gpt, reference))
        mask = torch.ones_like(tokens, dtype=torch.bool)
        mask[:, :2] = False
        now = token_log_probs(gpt(tokens), tokens)
        loss = grpo_loss(now, old, fixed, rewards, mask[:, 1:], beta=0.01)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        earned.append(rewards.mean().item())
    assert earned[0] < 0.6
    assert earned[-1] > 0.8


# models at work


def test_answers_follow_the_prompt_and_their_probabilities():
    gpt = model(4)
    uniform = (torch.arange(2000) + 0.5).div(2000)[:, None]
    tokens = write_answers(gpt, PROMPT.expand(2000, -1), uniform)
    assert torch.equal(tokens[:, :2], PROMPT.expand(2000, -1))
    shares = torch.bincount(tokens[:, 2], minlength=KINDS) / 2000
    chances = gpt(PROMPT)[0, -1].softmax(0).float()
    torch.testing.assert_close(shares, chances.detach(), atol=1e-3, rtol=0)


def test_a_reward_model_reads_the_whole_answer_and_no_padding():
    judge = RewardModel(model(5, kinds=7))
    assert not judge(torch.tensor([[1, 2, 3]]), torch.tensor([[False, True, True]])).any()
    torch.nn.init.normal_(judge.body.head.weight)
    tokens = torch.tensor([[1, 2, 3, 4, 0], [1, 2, 3, 4, 6], [1, 5, 3, 4, 0]])
    mask = torch.tensor([[False, False, True, True, False]]).expand(3, -1)
    first, padded, other = judge(tokens, mask)
    torch.testing.assert_close(first, padded)
    assert (first - other).abs() > 1e-3
    torch.testing.assert_close(final_scores(tokens.double(), mask), torch.full((3,), 4.0).double())
