"""Questions on post-training."""

from __future__ import annotations

import math
from random import Random

import torch

from grader.questions import Drawn, question
from grader.questions.curves import curves
from grader.questions.kinds import prints, tensor, which_mistake
from grader.questions.shown import logarithms, num, table
from solutions import preference

END = 9


@question("short", "answer-tokens", 3, public=True)
def answer_tokens(rng: Random) -> Drawn:
    prompt, answer = (
        [rng.randint(1, 8) for _ in range(rng.choice([2, 3]))],
        [rng.randint(1, 8) for _ in range(2)],
    )
    row = [*prompt, *answer, END, *[0] * (6 - len(prompt))]
    mask = preference.answer_mask(torch.tensor([row]), torch.tensor([len(prompt)]), end=END)[0]
    return Drawn(
        text=f"A row of tokens is {row}: a prompt of {len(prompt)} tokens, an answer that ends with the token {END}, and padding. Which tokens "
        "count in the loss of supervised fine-tuning? Write the mask as 0 and 1.",
        answer=f"${table(mask.int())}$",
        steps=(
            ("The prompt is given, and padding means nothing: neither of them counts.", 1),
            ("The end token belongs to the answer: the model must learn to stop.", 1),
        ),
    )


@question("mistake", "answer-tokens", 4)
def mask_mistake(rng: Random) -> Drawn:
    prompt = rng.choice([2, 3])
    row = [*rng.sample(range(1, 9), prompt + 2), END, 0, 0]
    return which_mistake(
        rng,
        "preference.answer_mask",
        {"tokens": [row], "prompts": [prompt], "end": END},
        ["prompt_too", "end_left_out", "everything_behind_the_prompt", "one_token_late"],
        text=f"A student's `answer_mask` was called for the row {row}, a prompt of {prompt} tokens and the end token {END}. 1 stands for True, a token that counts in the loss.",
    )


@question("mistake", "packed-rows", 4)
def packed_mistake(rng: Random) -> Drawn:
    documents = rng.choice([[0, 0, 1, 1], [0, 1, 1, 1], [0, 0, 0, 1]])
    return which_mistake(
        rng,
        "preference.packed_mask",
        {"documents": [documents]},
        ["not_causal", "causal_alone", "not_itself", "the_future"],
        text=f"A student's `packed_mask` was called for a row whose tokens belong to the texts {documents}. Rows are queries; 1 stands for "
        "True, which may attend.",
    )


@question("short", "answer-log-probability", 3, public=True)
def log_probability(rng: Random) -> Drawn:
    powers = [rng.choice([1, 2, 3]) for _ in range(3)]
    logits = torch.stack([tensor([2.0**-one, 1 - 2.0**-one]).log() for one in [*powers, 1]])[None]
    mask = torch.tensor([[False, True, True, True]])
    found = preference.sequence_log_probs(logits, torch.zeros(1, 4, dtype=torch.int64), mask).item()
    said = ", ".join(f"1/{2**one}" for one in powers)
    return Drawn(
        text=f"A model gives the three tokens of an answer the probabilities {said}. Write down the log-probability of the answer. What happens "
        "to it as an answer gets longer?",
        answer=f"$-{sum(powers)} \\ln 2 = {num(found)}$; it falls",
        steps=(
            (f"Probabilities multiply: $2^{{-{sum(powers)}}}$", 1),
            (f"The logarithm is a sum over tokens: $-{sum(powers)} \\ln 2$", 1),
            ("Each further token multiplies by at most 1.", 1),
        ),
    )


@question("short", "comparisons", 4, public=True)
def preferred(rng: Random) -> Drawn:
    odds, low = rng.choice([3, 4, 9]), rng.choice([1, 2, 5])
    loss = preference.bradley_terry_loss(logarithms([odds * low]), logarithms([low])).item()
    return Drawn(
        text=f"A reward model gives the preferred answer the score $\\ln {odds * low}$ and the other $\\ln {low}$. With which probability is the "
        "first preferred in the Bradley–Terry model, and what is the loss? How do both change if 10 is added to both "
        "scores?",
        answer=f"{odds}/{odds + 1}; $\\ln({odds + 1}/{odds}) = {num(loss)}$; not at all",
        steps=(
            (
                f"The difference is $\\ln {odds}$, and $\\sigma(\\ln {odds}) = {odds}/{odds + 1}$.",
                2,
            ),
            (f"The loss is $-\\ln({odds}/{odds + 1})$.", 1),
            ("Only differences count, so scores are determined up to a constant.", 1),
        ),
    )


@question("short", "best-of-n", 4)
def best_of(rng: Random) -> Drawn:
    p, n = rng.choice([0.1, 0.2, 0.5]), rng.choice([2, 3])
    found = preference.best_of_n(tensor([1 - p, p]), tensor([0.0, 1.0]), n)[1].item()
    return Drawn(
        text=f"A model gives the right answer with probability {p}, and the reward is higher for right answers. How probable is a right answer with "
        f"best-of-{n} sampling? What limits the gain if the reward is only an estimate?",
        answer=f"$1 - {num(1 - p)}^{n} = {num(found)}$; it also selects answers whose reward is too high by error",
        steps=(
            (f"All {n} answers are wrong with probability ${num(1 - p)}^{n}$.", 1),
            (
                f"At least one is right with probability $1 - {num((1 - p) ** n)} = {num(found)}$.",
                1,
            ),
            ("The answer with the highest estimate is often one that is overestimated.", 1),
        ),
    )


@question("derive", "direct-preference", 6, public=True)
def dpo(rng: Random) -> Drawn:
    beta, up, down = rng.choice([1.0, 0.5]), rng.choice([2, 4]), rng.choice([1, 2])
    reference = [-10.0, -12.0]
    chosen = reference[0] + math.log(up) / beta
    rejected = reference[1] - math.log(down) / beta
    loss = preference.dpo_loss(
        *(tensor([one]) for one in (chosen, rejected, *reference)), beta=beta
    ).item()
    odds = up * down
    return Drawn(
        text="The implicit reward of DPO is $\\beta (\\ln \\pi - \\ln \\pi_0)$. Derive the loss of a pair from the Bradley–Terry model. "
        f"Evaluate it for $\\beta = {num(beta)}$ if $\\beta \\ln \\pi/\\pi_0$ is $\\ln {up}$ for the preferred answer and $-\\ln {down}$ for the "
        "other. What is it before the first training step?",
        answer=f"$\\ln({odds + 1}/{odds}) = {num(loss)}$; $\\ln 2$",
        steps=(
            (
                "$-\\ln \\sigma\\bigl(\\beta \\ln \\frac{\\pi(y_+)}{\\pi_0(y_+)} - \\beta \\ln \\frac{\\pi(y_-)}{\\pi_0(y_-)}\\bigr)$",
                2,
            ),
            (
                f"The difference is $\\ln {up} + \\ln {down} = \\ln {odds}$: the loss is $-\\ln({odds}/{odds + 1})$.",
                2,
            ),
            (
                "Before the first step $\\pi = \\pi_0$, both rewards are 0, and $-\\ln \\sigma(0) = \\ln 2$.",
                1,
            ),
        ),
    )


@question("prints", "verifiable-reward", 4)
def checked(rng: Random) -> Drawn:
    digits = "".join(str(one) for one in rng.sample(range(1, 9), 3))
    right = "".join(sorted(digits))
    answers = [f"{right}.", f"{digits}." if digits != right else f"{right[::-1]}.", f"{right}"]
    rng.shuffle(answers)
    for answer in answers:
        preference.check_answer(digits, answer)
    return prints(
        f"""prompt = "{digits}"
for answer in {answers}:
    form = answer.endswith(".") and answer[:-1].isdecimal()
    print(form, form and answer[:-1] == "".join(sorted(prompt)))""",
        ("The right form is digits, with a period at the end.", 1),
        (f"Only the digits in ascending order, {right}, in this form, are right.", 1),
        ("Form and correctness are checked separately: a reward may count both.", 1),
    )


@question("derive", "policy-gradient", 6)
def log_derivative(rng: Random) -> Drawn:
    p, r = (
        rng.choice([[0.5, 0.5], [0.2, 0.8], [0.75, 0.25]]),
        [rng.choice([0, 1]), rng.choice([2, 4])],
    )
    slope = p[0] * (r[0] - sum(a * b for a, b in zip(p, r, strict=True)))
    return Drawn(
        text="Show that $\\nabla\\, \\mathbb{E}[r] = \\mathbb{E}[r \\nabla \\ln p]$ for a distribution over answers. Two answers have "
        f"$p = {table(p)}$, a softmax of two logits, and the rewards ${table(r)}$. Evaluate the derivative with respect to the first "
        "logit, with $\\partial \\ln p_k/\\partial z_0 = \\delta_{k0} - p_0$.",
        answer=f"${num(slope, 4)}$",
        steps=(
            (
                "$\\nabla \\sum_k p_k r_k = \\sum_k r_k \\nabla p_k = \\sum_k p_k r_k \\nabla \\ln p_k$",
                3,
            ),
            (
                f"${num(p[0])} \\cdot {r[0]} \\cdot (1 - {num(p[0])}) + {num(p[1])} \\cdot {r[1]} \\cdot (0 - {num(p[0])}) = {num(slope, 4)}$",
                2,
            ),
        ),
    )


@question("short", "baselines", 5, public=True)
def advantages(rng: Random) -> Drawn:
    rewards = rng.choice([[1, 1, 0, 0], [2, 0, 0, 2], [3, 1, 1, 3], [4, 0, 4, 0]])
    rng.shuffle(rewards)
    scaled = preference.group_advantages(tensor([[float(one) for one in rewards]]))[0]
    other = preference.leave_one_out(tensor([[float(one) for one in rewards]]))[0]
    return Drawn(
        text=f"Four answers to one prompt have the rewards ${table(rewards)}$. Compute their group advantages (subtract the mean, divide by the standard "
        "deviation, for which the squares are averaged over all four), and the leave-one-out advantage of the first, whose baseline is the mean of the others. "
        "What does the model learn from a group whose rewards are all equal?",
        answer=f"${table(scaled)}$; ${num(other[0])}$; nothing",
        steps=(
            (
                f"The mean is {num(sum(rewards) / 4)}, and all rewards are equally far from it: ${table(scaled)}$",
                2,
            ),
            (
                f"The mean of the other three is {num((sum(rewards) - rewards[0]) / 3)}: ${num(other[0])}$",
                1,
            ),
            ("With equal rewards all advantages are 0, and so is the gradient.", 1),
        ),
    )


@question("mistake", "baselines", 4)
def advantage_mistake(rng: Random) -> Drawn:
    rewards = [float(one) for one in rng.choice([[0, 0, 6], [0, 6, 0], [3, 0, 0], [9, 0, 0]])]
    return which_mistake(
        rng,
        "preference.group_advantages",
        {"rewards": [rewards]},
        ["by_one_less", "divided_by_the_variance", "never_scaled", "from_lowest_to_highest"],
        text=f"A student's `group_advantages` was called for three answers to one prompt with the rewards ${table(rewards)}$. It should use the standard deviation that divides by the number of answers.",
    )


@question("curve", "clipped-ratio", 5, public=True)
def clipped(rng: Random) -> Drawn:
    clip = rng.choice([0.2, 0.4])
    ratios = [0.2 * n for n in range(11)]
    lines = {}
    for name, advantage in (("good", 1.0), ("bad", -1.0)):
        lines[name] = [
            -preference.clipped_loss(
                tensor([[math.log(max(one, 1e-9))]]), tensor([[0.0]]), tensor([advantage]),
                torch.ones(1, 1, dtype=torch.bool), clip=clip,
            ).item()
            for one in ratios
        ]  # fmt: skip
    named = dict(zip(rng.sample("AB", 2), lines, strict=True))
    wanted = rng.choice(list(lines))
    right = next(letter for letter, one in named.items() if one == wanted)
    end = f"above {num(1 + clip)}" if wanted == "good" else f"below {num(1 - clip)}"
    sign = "1" if wanted == "good" else "-1"
    return Drawn(
        text="The figure shows PPO's clipped objective $\\min(\\rho A, \\operatorname{clip}(\\rho, 1 - c, 1 + c) A)$ for one token, against the ratio "
        f"$\\rho$, for the advantages 1 and $-1$. Which curve has $A = {sign}$, for which $\\rho$ is its slope 0, and what is $c$?",
        figure=curves(
            {one: lines[named[one]] for one in sorted(named)},
            x="ratio, in fifths",
            y="objective",
            alt="One curve rises and then is level; the other is level and then falls.",
        ),
        answer=f"{right}; {end}; {clip}",
        steps=(
            (
                f"With $A = {sign}$ the objective {'rises' if wanted == 'good' else 'falls'} with $\\rho$: {right}.",
                1,
            ),
            (f"It is level {end}: there the token contributes no gradient.", 1),
            (f"So $c = {clip}$.", 1),
        ),
    )


@question("short", "distance-from-reference", 5)
def kl(rng: Random) -> Drawn:
    p, q = rng.choice(
        [
            ([0.5, 0.5], [0.25, 0.75]),
            ([0.25, 0.75], [0.5, 0.5]),
            ([0.8, 0.2], [0.5, 0.5]),
            ([1.0, 0.0], [0.5, 0.5]),
        ]
    )
    drawn = rng.choice([0]) if p[0] == 1 else rng.randrange(2)
    k1, _, k3 = preference.kl_estimates(tensor([p[drawn]]).log(), tensor([q[drawn]]).log())
    s = q[drawn] / p[drawn]
    return Drawn(
        text=f"A policy has the probabilities $\\pi = {table(p)}$, the reference $\\pi_0 = {table(q)}$. Token {drawn} is drawn. Compute $s = \\pi_0/\\pi$, "
        "$k_1 = -\\ln s$ and $k_3 = s - 1 - \\ln s$ for it. Which of the two can be negative? You may leave logarithms as they are.",
        answer=f"$s = {num(s)}$, $k_1 = -\\ln {num(s)} = {num(k1.item())}$, $k_3 = {num(s - 1)} - \\ln {num(s)} = {num(k3.item())}$; $k_1$",
        steps=(
            (f"$s = {q[drawn]}/{p[drawn]} = {num(s)}$", 1),
            (f"$k_1 = {num(k1.item())}$ and $k_3 = {num(k3.item())}$", 2),
            (
                "$\\ln s \\le s - 1$, so $k_3$ is never negative. Both are unbiased estimates of the KL divergence.",
                1,
            ),
        ),
    )


@question("short", "pass-at-k", 5, public=True)
def pass_at_k(rng: Random) -> Drawn:
    n, c, k = rng.choice([(6, 2, 3), (8, 2, 4), (6, 3, 2), (10, 2, 5), (8, 3, 2)])
    estimate = preference.pass_at_k(torch.tensor(c), n, k).item()
    inserted = 1 - (1 - c / n) ** k
    missed = math.comb(n - c, k), math.comb(n, k)
    return Drawn(
        text=f"Of {n} answers that a model sampled for a prompt, {c} are right. Estimate pass@{k} without bias. A student inserts "
        f"$p = {c}/{n}$ into $1 - (1 - p)^{k}$ instead. Is this estimate too low or too high on average over many such "
        "samples, and why?",
        answer=f"${num(estimate)}$; too low on average",
        wrong=[
            f"${num(1 - estimate)}$; too low on average",
            f"${num(inserted)}$; too high on average",
            f"${num(estimate)}$; too high on average",
        ],
        steps=(
            (
                f"Of $\\binom{{{n}}}{{{k}}} = {missed[1]}$ ways to choose {k} answers, $\\binom{{{n - c}}}{{{k}}} = {missed[0]}$ "
                "contain no right one.",
                2,
            ),
            (f"$1 - {missed[0]} / {missed[1]} = {num(estimate)}$", 1),
            (f"$1 - (1 - p)^{k}$ is concave in $p$: by Jensen's inequality its mean is below its value at the mean.", 1),
        ),
    )  # fmt: skip


@question("short", "leaky-reward", 3)
def hacked(rng: Random) -> Drawn:
    form, right, p = rng.choice([0.5, 0.2]), 1, rng.choice([0.1, 0.3])
    honest = form + p * right
    leak = rng.choice([1.0, 1.2])
    better = (
        "the meaningless answer"
        if leak > honest
        else "the honest answer"
        if honest > leak
        else "neither"
    )
    return Drawn(
        text=f"A reward gives {form} for the right form and {right} for a right answer. An honest answer always has the right form, and is right with "
        f"probability {p}. Because of an error in the check, a meaningless answer always gets {leak}. What is the expected reward of each, and which "
        "of the two does the policy gradient reinforce?",
        answer=f"{num(honest)} and {leak}; {better}",
        steps=(
            (f"${form} + {p} \\cdot {right} = {num(honest)}$ against {leak}", 1),
            (
                f"Training makes more likely what has the higher reward: {better}. The reward rises, but the task is not solved.",
                1,
            ),
        ),
    )
