"""Questions on GPT."""

from __future__ import annotations

import math
from random import Random

import torch

from grader.questions import Drawn, apart, question
from grader.questions.curves import curves
from grader.questions.kinds import prints, tensor, which_mistake
from grader.questions.shown import logarithms, num, table
from solutions import gpt


@question("prints", "shift-once", 3, public=True)
def what_is_asked(rng: Random) -> Drawn:
    text, start, span = (
        rng.choice(["abcdefgh", "neuralnet", "perplexity"]),
        rng.choice([0, 1, 2]),
        rng.choice([3, 4]),
    )
    return prints(
        f"""text, start, span = "{text}", {start}, {span}
inputs = text[start : start + span]
targets = text[start + 1 : start + 1 + span]
print(inputs, targets)""",
        (f"The input begins at {start} and has {span} tokens.", 1),
        ("The target is the same span one token later: at each position the next token.", 1),
    )


@question("mistake", "shift-once", 6)
def causal_mistake(rng: Random) -> Drawn:
    rows = [rng.sample([1, 2, 3, 4], 2) for _ in range(3)]
    return which_mistake(
        rng,
        "gpt.causal_loss",
        {"logits": logarithms([rows]), "tokens": [[0, 1, 0]]},
        ["summed", "bits", "looking_back"],
        text="A student's `causal_loss` was called for the tokens 0, 1, 0. The model's probabilities after each position "
        f"are proportional to the rows of ${table(rows)}$.",
    )


@question("short", "perplexity-of-texts", 4, public=True)
def perplexity(rng: Random) -> Drawn:
    powers = [rng.choice([1, 2, 3]) for _ in range(2)] + [rng.choice([2, 4])]
    losses = tensor([[power * math.log(2) for power in powers]])
    found = gpt.perplexity(losses, torch.ones(1, 3, dtype=torch.bool)).item()
    said = ", ".join(f"1/{2**one}" for one in powers)
    return Drawn(
        text=f"A model gives the three tokens of a text the probabilities {said}. Write the perplexity as a power of 2. What "
        "would it be for a model that gives each of 50 tokens the same probability?",
        answer=f"$2^{{{sum(powers)}/3}} = {num(found, 2)}$; 50",
        steps=(
            (f"The mean loss is $\\tfrac{{{sum(powers)}}}{{3}} \\ln 2$.", 2),
            (f"Its exponential is $2^{{{sum(powers)}/3}}$.", 1),
            ("With 50 equal probabilities, each loss is $\\ln 50$.", 1),
        ),
    )


@question("mistake", "perplexity-of-texts", 5)
def perplexity_mistake(rng: Random) -> Drawn:
    a, b, c = rng.sample([1, 2, 3, 5], 3)
    two = math.log(2)
    return which_mistake(
        rng,
        "gpt.perplexity",
        {
            "losses": [[a * two, b * two], [c * two, 0.0]],
            "mask": [[True, True], [True, False]],
        },
        ["mean_of_rows", "mean_of_perplexities", "exp_first", "zeros_counted"],
        text=f"A student's `perplexity` was called for a text of two tokens with the losses ${a} \\ln 2$ and ${b} \\ln 2$, "
        f"and a text of one token with ${c} \\ln 2$, padded to two.",
        places=2,
    )


@question("short", "temperature", 4, public=True)
def temperature(rng: Random) -> Drawn:
    parts, tau = rng.choice([[1, 2], [1, 3], [2, 3], [1, 4]]), 0.5
    p = torch.softmax(gpt.tempered(logarithms(parts), tau), 0)
    squares = [one * one for one in parts]
    return Drawn(
        text=f"Two tokens have the logits $\\ln {parts[0]}$ and $\\ln {parts[1]}$. Compute their probabilities at "
        "temperature 1 and at temperature 0.5. What happens to them near temperature 0 and at very high temperatures?",
        answer=f"{parts[0]}/{sum(parts)} and {parts[1]}/{sum(parts)}; ${table(p)}$; near 0 the likelier token gets 1; at high temperatures both get 1/2",
        steps=(
            (f"At 1: {parts[0]}/{sum(parts)} and {parts[1]}/{sum(parts)}", 1),
            (f"Dividing by 0.5 doubles the logits and squares the ratio: {squares[0]}/{sum(squares)} and "
             f"{squares[1]}/{sum(squares)}", 2),
            ("Near 0 all probability goes to the likelier token; at high temperatures the logits hardly differ.", 1),
        ),
    )  # fmt: skip


def _five(rng: Random) -> list[float]:
    return rng.choice(
        [[0.4, 0.3, 0.15, 0.1, 0.05], [0.5, 0.2, 0.15, 0.1, 0.05], [0.35, 0.25, 0.2, 0.15, 0.05]]
    )


def _kept(found: torch.Tensor) -> list[int]:
    return [n for n, one in enumerate(found.tolist()) if math.isfinite(one)]


@question("short", "top-p", 4, public=True)
def nucleus(rng: Random) -> Drawn:
    p, share, k = _five(rng), rng.choice([0.62, 0.72, 0.92]), rng.choice([2, 3])
    z = tensor(p).log()
    top_p, top_k = _kept(gpt.top_p(z, share)), _kept(gpt.top_k(z, k))
    mass = sum(p[one] for one in top_p)
    apart(top_p, top_k)
    return Drawn(
        text=f"Five tokens have the probabilities ${table(p)}$. Tokens count from 0. Which of them does top-k keep with $k = {k}$, and which does top-p keep with "
        f"$p = {share}$? What probability does token 0 have after top-p?",
        answer=f"{top_k}; {top_p}; {num(p[0] / mass)}",
        steps=(
            (f"Top-k: the {k} likeliest, {top_k}.", 1),
            (
                f"Top-p: the likeliest tokens until their sum reaches {share}: {top_p} with {num(mass)}.",
                2,
            ),
            (f"Normalized again: {p[0]} / {num(mass)} = {num(p[0] / mass)}", 1),
        ),
    )


@question("mistake", "top-p", 5)
def nucleus_mistake(rng: Random) -> Drawn:
    p = _five(rng)
    return which_mistake(
        rng,
        "gpt.top_p",
        {"logits": tensor(p).log(), "p": 0.62},
        ["crossing_token_dropped", "unlikely_first", "one_too_many"],
        text=f"A student's `top_p` was called with the logarithms of ${table(p)}$ as logits and $p = 0.62$.",
        shown="With 1 for a token that it kept and 0 for one that it ruled out, the result is",
        view=lambda found: found.isfinite().int(),
    )


@question("short", "min-p", 3, public=True)
def least(rng: Random) -> Drawn:
    p, share = _five(rng), rng.choice([0.18, 0.45, 0.6])
    found = _kept(gpt.min_p(tensor(p).log(), share))
    return Drawn(
        text=f"Five tokens have the probabilities ${table(p)}$. Tokens count from 0. Which of them does min-p keep with $p = {share}$?",
        answer=f"{found}",
        wrong=[
            f"{one}"
            for one in (
                [n for n in range(5) if p[n] >= share],
                found[:-1],
                [*range(len(found) + 1)],
            )
            if one != found
        ],
        steps=(
            (f"The threshold is {share} times the largest probability: {num(share * p[0])}.", 1),
            (f"Tokens with at least this probability stay: {found}.", 1),
        ),
    )


@question("short", "repetition-penalty", 3, public=True)
def penalized(rng: Random) -> Drawn:
    z, penalty = [rng.choice([2, 4, 6]), rng.choice([-2, -4]), rng.choice([1, 3])], 2.0
    found = gpt.repetition_penalty(
        tensor([[float(one) for one in z]]), torch.tensor([[0, 1, 0]]), penalty
    )[0]
    return Drawn(
        text=f"Three tokens have the logits ${table(z)}$; tokens 0 and 1 are in the text already, token 0 twice. Compute the logits "
        "after a repetition penalty of 2. Why are they not all divided by 2?",
        answer=f"${table(found)}$; dividing a negative logit would raise it",
        steps=(
            (f"Token 0 is positive and divided, once: {num(found[0])}", 1),
            (f"Token 1 is negative and multiplied: ${num(found[1])}$", 1),
            ("Both logits must fall. Token 2 is not in the text, and its logit stays.", 1),
        ),
    )


@question("short", "speculative-decoding", 6)
def speculative(rng: Random) -> Drawn:
    p, q = rng.choice(
        [
            ([0.5, 0.3, 0.2], [0.2, 0.6, 0.2]),
            ([0.6, 0.2, 0.2], [0.3, 0.4, 0.3]),
            ([0.1, 0.5, 0.4], [0.5, 0.3, 0.2]),
        ]
    )
    stay = gpt.acceptance(tensor(p), tensor(q))
    rest = gpt.residual(tensor(p), tensor(q))
    share = sum(min(a, b) for a, b in zip(p, q, strict=True))
    return Drawn(
        text=f"The target model has the probabilities $p = {table(p)}$, the draft model $q = {table(q)}$. With which "
        "probability is each of the three tokens accepted if the draft proposes it, and with which a proposal on average? From which distribution "
        "is the next token sampled after a rejection?",
        answer=f"${table(stay)}$; {num(share)}; ${table(rest)}$",
        steps=(
            (f"$\\min(1, p/q) = {table(stay)}$", 2),
            (f"On average $\\sum q \\min(1, p/q) = \\sum \\min(p, q) = {num(share)}$", 1),
            (f"$\\max(p - q, 0)$, normalized to sum to 1: ${table(rest)}$", 2),
        ),
    )


@question("derive", "speculative-speed", 5)
def tokens_per_pass(rng: Random) -> Drawn:
    a, n = rng.choice([0.5, 0.8]), rng.choice([2, 3])
    found = gpt.expected_tokens(tensor([a]), n).item()
    terms = " + ".join(["1", *(f"{a}^{k}" if k > 1 else f"{a}" for k in range(1, n + 1))])
    return Drawn(
        text=f"A draft model proposes {n} tokens at a time, and each is accepted with probability {a}, independently. Derive "
        "how many tokens one pass of the target model gains on average.",
        answer=f"${terms} = {num(found)}$",
        steps=(
            (
                "One token is always gained: the one sampled after a rejection, or after all proposals.",
                2,
            ),
            (
                "Proposal $k$ counts if the first $k$ are all accepted, which has probability $a^k$ for an acceptance of $a$.",
                2,
            ),
            (f"${terms} = {num(found)}$", 1),
        ),
    )


@question("curve", "scaling-laws", 5)
def power_law(rng: Random) -> Drawn:
    alpha, offset = rng.choice([0.5, 1.0]), 0.5
    x = [2.0**n for n in range(9)]
    plain = [4 * one**-alpha for one in x]
    floored = [offset + one for one in plain]
    _, found, _ = gpt.fit_power_law(tensor(x), tensor(plain))
    named = dict(zip(rng.sample("AB", 2), (plain, floored), strict=True))
    right = next(letter for letter, line in named.items() if line is plain)
    return Drawn(
        text="The figure shows two losses on a logarithmic axis, against the number of parameters $N$, counted in doublings. Which one is a pure power law $a N^{-\\alpha}$, and what is its $\\alpha$? Why does the other bend?",
        figure=curves(
            {one: named[one] for one in sorted(named)}, x="doublings of N", y="loss", log=True,
            alt="One straight falling line, and one that bends toward the horizontal.",
        ),
        answer=f"{right}, $\\alpha = {num(found.item())}$; it approaches a loss that no number of parameters gets below",
        steps=(
            ("With both axes logarithmic, a power law is a straight line.", 1),
            (f"Over 2 doublings, $N \\times 4$, the loss falls by a factor of {num(4**alpha)}: $\\alpha = {num(found.item())}$.", 2),
            ("A constant added to the power law remains when the power law has become small.", 1),
        ),
    )  # fmt: skip


@question("short", "compute-optimal", 4)
def budget(rng: Random) -> Drawn:
    N, D = rng.choice([10, 20, 50]), rng.choice([200, 500, 1000])
    digits, power = f"{6 * N * D * 10**12:e}".split("e+")
    said = f"{num(float(digits))} \\cdot 10^{{{power}}}"
    factor = rng.choice([4, 100])
    first = gpt.compute_optimal(tensor([1.0]), a=1.0, alpha=0.5, b=1.0, beta=0.5)
    second = gpt.compute_optimal(tensor([float(factor)]), a=1.0, alpha=0.5, b=1.0, beta=0.5)
    grown = (second[0] / first[0]).item()
    return Drawn(
        text=f"About how many floating-point operations does training {N} million parameters on {D} million tokens take? With equal exponents "
        f"$\\alpha = \\beta$, by which factors do the optimal $N$ and $D$ grow if the budget grows by a factor of {factor}?",
        answer=f"$6 N D = {said}$; both by {num(grown)}",
        steps=(
            (f"$6 \\cdot {N} \\cdot 10^6 \\cdot {D} \\cdot 10^6 = {said}$", 2),
            (f"$N$ and $D$ grow with $C^{{1/2}}$: $\\sqrt{{{factor}}} = {num(grown)}$", 2),
        ),
    )


@question("short", "expert-capacity", 5)
def experts_full(rng: Random) -> Drawn:
    chosen = [[rng.choice([0, 0, 1, 2])] for _ in range(6)]
    experts, factor = 3, 1.0
    limit = gpt.capacity(6, experts, factor=factor)
    kept = gpt.within_capacity(torch.tensor(chosen), experts, limit)[:, 0].tolist()
    dropped = [token + 1 for token, fits in enumerate(kept) if not fits]
    said = ", ".join(str(one[0] + 1) for one in chosen)
    which = ", ".join(map(str, dropped)) or "none"
    return Drawn(
        text=f"Six tokens choose one of three experts each: {said}, in this order. The capacity factor is 1. How many tokens does "
        "an expert accept, and which tokens are dropped? What does the layer add to the residual stream of a dropped token?",
        answer=f"{limit}; dropped: {which}; 0",
        steps=(
            (f"The capacity is $1 \\cdot 6 / 3 = {limit}$.", 2),
            (f"An expert accepts the first {limit} tokens that choose it. Dropped: {which}.", 2),
            (
                "A dropped token gets 0 from the layer, and the residual connection carries it on.",
                1,
            ),
        ),
    )


@question("short", "load-balance", 5)
def balance(rng: Random) -> Drawn:
    p = rng.choice([0.6, 0.7, 0.8])
    often = rng.choice([3, 4])
    rows = [[p, 1 - p]] * often + [[1 - p, p]] * (5 - often)
    logits = tensor(rows).log()
    _, chosen = gpt.route(logits, 1)
    found = gpt.load_balance(logits, chosen).item()
    f, mean = often / 5, (often * p + (5 - often) * (1 - p)) / 5
    return Drawn(
        text=f"A router has two experts. For {often} of 5 tokens it gives the first expert the probability {p}, for the others "
        f"{num(1 - p)}. Each token goes to the likelier expert. Compute the load-balancing loss $E \\sum_i f_i P_i$. From which of its two "
        "factors does its gradient come, and why?",
        answer=f"{num(found)}; from $P_i$, because a choice has no derivative",
        steps=(
            (f"$f = ({num(f)}, {num(1 - f)})$, $P = ({num(mean)}, {num(1 - mean)})$", 2),
            (
                f"$2\\,({num(f)} \\cdot {num(mean)} + {num(1 - f)} \\cdot {num(1 - mean)}) = {num(found)}$",
                2,
            ),
            ("From $P_i$: the shares $f_i$ count choices, which have no derivative.", 1),
        ),
    )
