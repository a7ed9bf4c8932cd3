"""Questions on attention."""

from __future__ import annotations

from random import Random

import torch

from grader.questions import Drawn, apart, question
from grader.questions.curves import curves
from grader.questions.kinds import prints, tensor, which_mistake
from grader.questions.shown import logarithms, logs, num, table
from solutions import attention


@question("short", "attention-block", 3, public=True)
def longer_vector(rng: Random) -> Drawn:
    length, more = rng.choice([1, 2, 3]), rng.choice([1, 2, 3])
    x = [[length, 0], [0, length + more]]
    _, p = attention.attention_block(tensor([1.0, 1.0]), torch.tensor(x).double())
    gap = round((p[1] / p[0]).log().item())
    return Drawn(
        text=f"In the attention block without parameters, $h = {table([1, 1])}$ attends to "
        f"$x_1 = {table(x[0])}$ and $x_2 = {table(x[1])}$. How many times the weight of $x_1$ does "
        "$x_2$ get?",
        answer=f"$e^{{{gap}}}$",
        wrong=[f"${length + more}/{length}$", f"$e^{{{length + more + length}}}$", "1"],
        steps=(
            (f"The scores are $h^\\top x_1 = {length}$ and $h^\\top x_2 = {length + more}$.", 1),
            (f"$p_2 / p_1 = e^{{{length + more} - {length}}} = e^{{{gap}}}$", 1),
        ),
    )


@question("short", "attention-scores", 4, public=True)
def dot_scores(rng: Random) -> Drawn:
    q = [rng.randint(-3, 3) for _ in range(4)]
    k = [[rng.randint(-2, 3) for _ in range(4)] for _ in range(2)]
    given = torch.tensor([q]).double(), torch.tensor(k).double()
    dot, scaled = attention.dot_score(*given)[0], attention.dot_score(*given, scaled=True)[0]
    apart(*dot.tolist())
    return Drawn(
        text=f"Compute the dot-product scores and the scaled scores of the query $q = {table(q)}$ "
        f"and the keys $k_1 = {table(k[0])}$ and $k_2 = {table(k[1])}$.",
        answer=f"dot product ${table(dot)}$, scaled ${table(scaled)}$",
        steps=(
            (f"$q^\\top k_1 = {num(dot[0])}$ and $q^\\top k_2 = {num(dot[1])}$", 2),
            (
                f"The scaled scores are these divided by $\\sqrt{{d_k}} = \\sqrt 4$: ${table(scaled)}$",
                1,
            ),
        ),
    )


@question("mistake", "attention-scores", 4, public=True)
def scaled_score_mistake(rng: Random) -> Drawn:
    q = [[float(rng.choice([1, 2, 3])) for _ in range(4)]]
    k = [[float(rng.choice([-2, 2, 4])) for _ in range(4)] for _ in range(3)]
    return which_mistake(
        rng,
        "attention.dot_score",
        {"query": q, "key": k, "scaled": True},
        ["never_scaled", "scaled_by_d", "scaled_by_keys", "cosine"],
        text="A student's `dot_score` was called with `scaled=True`, the query "
        f"${table(q)}$, and the keys ${table(k)}$, a row for each.",
    )


@question("short", "general-score", 3)
def bilinear_score(rng: Random) -> Drawn:
    q, k = [rng.choice([-1, 1, 2]) for _ in range(2)], [rng.choice([-1, 0, 1, 2]) for _ in range(3)]
    W = [[rng.randint(-2, 2) for _ in range(3)] for _ in range(2)]
    args = [torch.tensor(one).double() for one in ([q], [k], W)]
    score = attention.general_score(*args).item()
    half = (args[2] @ args[1][0]).tolist()
    apart(score, 0.0)
    return Drawn(
        text=f"A query $q = {table(q)}$ and a key $k = {table(k)}$ differ in size. Compute their "
        f"general score with $W = {table(W)}$. Why can the dot product not be used here?",
        answer=f"{num(score)}; the dot product needs vectors of one size",
        steps=(
            (f"$W k = {table(half)}$", 1),
            (f"$q^\\top W k = {num(score)}$", 1),
            ("A dot product compares entry by entry, so both vectors need the same size.", 1),
        ),
    )


@question("short", "additive-score", 4)
def parameters_of_scores(rng: Random) -> Drawn:
    q, k, hidden = rng.choice([10, 20]), rng.choice([30, 40, 50]), rng.choice([5, 10])
    count = {
        kind: sum(
            one.numel()
            for one in attention.Attention(
                kind, query_size=q, key_size=k, hidden_size=hidden
            ).parameters()
        )
        for kind in ("general", "additive")
    }
    return Drawn(
        text=f"Queries have {q} features and keys {k}. How many parameters does the general score "
        f"have, and how many the additive score with {hidden} hidden features? No part has a bias.",
        answer=f"{count['general']} and {count['additive']}",
        wrong=[
            f"{q + k} and {count['additive']}",
            f"{count['general']} and {count['additive'] - hidden}",
            f"{count['general']} and {q * k * hidden}",
        ],
        steps=(
            (f"$W$ has a row for each entry of $q$: ${q} \\cdot {k} = {count['general']}$.", 1),
            (
                f"$W_q$, $W_k$ and $v$: ${hidden} \\cdot {q} + {hidden} \\cdot {k} + {hidden} = "
                f"{count['additive']}$",
                2,
            ),
        ),
    )


@question("derive", "additive-score", 6)
def without_tanh(rng: Random) -> Drawn:
    parts, own = rng.sample([1, 2, 3, 4, 5], 3), rng.choice([2, 5, -3])
    weights = attention.masked_softmax(logarithms([parts]) + own)[0]
    return Drawn(
        text="The tanh is left out of the additive score: $s(q, k) = v^\\top (W_q q + W_k k)$. Show "
        "that the attention weights then do not depend on the query. Then compute the weights of "
        f"three keys with $v^\\top W_k k_j$ equal to ${logs(parts)}$ for a query with "
        f"$v^\\top W_q q = {own}$.",
        answer=f"${table(weights)}$, whatever the query is",
        steps=(
            (
                "$s(q, k_j) = v^\\top W_q q + v^\\top W_k k_j$: the first term is the same for all keys.",
                2,
            ),
            (
                "The softmax divides by a sum with the same factor $e^{v^\\top W_q q}$: it cancels.",
                2,
            ),
            (f"The weights are ${', '.join(map(str, parts))}$ divided by {sum(parts)}.", 1),
        ),
    )


@question("mistake", "masked-softmax", 6)
def masked_softmax_mistake(rng: Random) -> Drawn:
    parts = [rng.sample([1, 2, 3, 4, 6], 3) for _ in range(2)]
    mask = [[True, True, False], [True, False, True]]
    return which_mistake(
        rng,
        "attention.masked_softmax",
        {"scores": logarithms(parts), "mask": mask},
        ["mask_inverted", "mask_after_softmax", "masked_scores_zero", "over_queries"],
        text=f"A student's `masked_softmax` was called with the scores ${logs(parts)}$, a row for "
        f"each query, and the mask ${table(mask)}$, in which 1 stands for True.",
    )


@question("short", "masked-softmax", 4, public=True)
def masked_weights(rng: Random) -> Drawn:
    parts = rng.sample([1, 2, 3, 4, 5, 6], 4)
    hidden = rng.randrange(4)
    mask = [place != hidden for place in range(4)]
    weights = attention.masked_softmax(logarithms([parts]), torch.tensor([mask]))[0]
    left = sum(one for one, seen in zip(parts, mask, strict=True) if seen)
    return Drawn(
        text=f"Four keys have the scores ${logs(parts)}$, and the mask is `{mask}`. Compute the "
        "attention weights. What are the weights of a query whose keys are all masked?",
        answer=f"${table(weights)}$; all 0",
        steps=(
            (f"Key {hidden} is padding: its weight is 0, and it is not in the sum.", 1),
            (f"The others are divided by {left}: ${table(weights)}$", 1),
            ("The quotient would be $0/0$; it is defined as 0.", 1),
        ),
    )


@question("short", "context-vector", 3, public=True)
def context(rng: Random) -> Drawn:
    parts = rng.choice([[1, 1, 2], [1, 3, 1], [2, 3, 5], [4, 1, 5]])
    values = [[rng.randint(-4, 4), rng.choice([0, 5, 10])] for _ in range(3)]
    found, weights = attention.attend(logarithms([parts]), torch.tensor(values).double())
    return Drawn(
        text=f"A query has the scores ${logs(parts)}$. The values are the rows of ${table(values)}$. "
        "Compute the context vector.",
        answer=f"$c = {table(found)}$",
        steps=(
            (f"The weights are ${table(weights)}$.", 1),
            (f"$c = \\sum_j \\alpha_j v_j = {table(found)}$", 2),
        ),
    )


@question("derive", "score-gradients", 7)
def score_gradient(rng: Random) -> Drawn:
    alpha = rng.choice([[0.5, 0.25, 0.25], [0.5, 0.5, 0.0], [0.2, 0.3, 0.5], [0.1, 0.4, 0.5]])
    values = [[rng.choice([-2, 0, 2]), rng.choice([-4, 0, 4])] for _ in range(3)]
    g = [rng.choice([1, -1]), rng.choice([1, 2])]
    gradient, _ = attention.attend_backward(
        torch.tensor([g]).double(), torch.tensor([alpha]).double(), torch.tensor(values).double()
    )
    gain = (torch.tensor(values) @ torch.tensor(g)).double()
    mean = (gain @ torch.tensor(alpha).double()).item()
    apart(table(gradient), table(gradient * 0))
    return Drawn(
        text=f"A query has the weights $\\alpha = {table(alpha)}$ and the context "
        "$c = \\sum_j \\alpha_j v_j$. With $\\partial \\alpha_k / \\partial s_j = \\alpha_k "
        "(\\delta_{kj} - \\alpha_j)$, derive $\\partial L / \\partial s_j$ from $g = \\partial L / "
        f"\\partial c$. Evaluate it for the values ${table(values)}$, a row for each key, and "
        f"$g = {table(g)}$.",
        answer=f"$\\alpha_j (g^\\top v_j - g^\\top c)$, here ${table(gradient)}$",
        steps=(
            (
                "$\\partial L / \\partial s_j = \\sum_k g^\\top v_k \\, \\alpha_k (\\delta_{kj} - "
                "\\alpha_j) = \\alpha_j (g^\\top v_j - g^\\top c)$",
                3,
            ),
            (
                f"$g^\\top v_j$ is ${table(gain)}$, and its weighted mean is $g^\\top c = {num(mean)}$.",
                2,
            ),
            (f"The gradient is ${table(gradient)}$; its entries sum to 0.", 1),
        ),
    )


@question("mistake", "score-gradients", 6)
def score_gradient_mistake(rng: Random) -> Drawn:
    alpha = [rng.choice([[0.5, 0.25, 0.25], [0.2, 0.3, 0.5], [0.1, 0.4, 0.5]])]
    values = [[float(one)] for one in rng.sample([-4, -2, 0, 2, 4, 6], 3)]
    return which_mistake(
        rng,
        "attention.attend_backward",
        {"grad": [[1.0]], "weights": alpha, "value": values},
        ["mean_forgotten", "mean_unweighted", "not_times_the_weight", "sign"],
        text="A student's `attend_backward` was called for one query with $\\partial L / \\partial c "
        f"= 1$, the weights ${table(alpha)}$ and the values ${', '.join(num(v[0]) for v in values)}$, "
        "one number each. Look at the gradient of the scores.",
        part=0,
    )


@question("curve", "score-gradients", 4, public=True)
def saturation(rng: Random) -> Drawn:
    scores = torch.tensor([[0.0, 0.5, 1.0]]).double()
    values = torch.tensor([[rng.choice([1.0, 2.0])], [0.0], [-1.0]]).double()
    best, slope, rest = [], [], []
    for scale in range(0, 13):
        _, weights = attention.attend(scores * scale, values)
        gradient, _ = attention.attend_backward(torch.ones(1, 1).double(), weights, values)
        best.append(weights.max().item())
        rest.append(weights.min().item())
        slope.append(gradient.norm().item())
    named = dict(zip(rng.sample("ABC", 3), (best, slope, rest), strict=True))
    right = next(name for name, line in named.items() if line is slope)
    return Drawn(
        text="The scores of one query are multiplied by 0, 1, 2 and so on. The figure shows its "
        "largest weight, its smallest weight, and the norm of the gradient with respect to the "
        "scores. Which curve is the norm of the gradient?",
        figure=curves(
            {name: named[name] for name in sorted(named)},
            x="factor of the scores",
            y="value",
            alt="Three curves: one rises to 1, one falls from a third to 0, one ends at 0 as well.",
        ),
        answer=right,
        wrong=[name for name in named if name != right],
        steps=(
            ("The weights begin at 1/3; the largest one goes to 1, the smallest to 0.", 1),
            (
                "When one weight is 1, the mean is its value: $g^\\top v_j - g^\\top c$ is 0 there, "
                f"and $\\alpha_j$ is 0 elsewhere. The gradient is {right}.",
                2,
            ),
        ),
    )


@question("short", "attending-decoder", 4)
def sizes_of_a_step(rng: Random) -> Drawn:
    embedded, half, state = rng.choice([16, 24, 32]), rng.choice([20, 30, 50]), rng.choice([40, 64])
    weights = torch.full((1, 1, 5), 0.2)
    context = (weights @ torch.zeros(1, 5, 2 * half)).shape[-1]
    return Drawn(
        text=f"A decoder with attention has a state of {state} features and embeds tokens in "
        f"{embedded}. The encoder is bidirectional, with {half} features in each direction; its "
        "states are keys and values. How many features do the context, the input of the GRU and the "
        "input of the output layer have?",
        answer=f"{context}, {embedded + context}, {state + context}",
        wrong=[
            f"{half}, {embedded + half}, {state + half}",
            f"{context}, {embedded + context}, {state}",
            f"{state}, {embedded + state}, {2 * state}",
        ],
        steps=(
            (f"The context is a mean of values: $2 \\cdot {half} = {context}$.", 1),
            (f"The GRU reads the previous token and the context: {embedded} + {context}.", 1),
            (f"The output layer reads the new state and the context: {state} + {context}.", 1),
        ),
    )


@question("short", "alignment", 3, public=True)
def agreement(rng: Random) -> Drawn:
    rows = [rng.choice([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.2, 0.7]]) for _ in range(4)]
    gold = [rng.randrange(3) for _ in range(4)]
    marks = torch.nn.functional.one_hot(torch.tensor(gold), 3).bool()
    share = attention.agreement(torch.tensor(rows).double(), marks).item()
    hits = sum(row.index(max(row)) == one for row, one in zip(rows, gold, strict=True))
    return Drawn(
        text=f"A decoder wrote four digits with the attention weights ${table(rows)}$, a row for each. "
        f"The source positions that state them are ${table(gold)}$. For what share of the digits does "
        "the attention agree with the alignment, by its largest weight?",
        answer=f"{num(share, 2)}",
        wrong=[num(one / 4, 2) for one in range(5) if one != hits][:3],
        steps=(
            ("In each row, find the position of the largest weight.", 1),
            (f"It is the stated one in {hits} of 4 rows.", 1),
        ),
    )


@question("short", "coverage", 4)
def coverage(rng: Random) -> Drawn:
    rows = [
        list(one)
        for one in rng.sample(
            [(0.5, 0.5, 0.0), (0.6, 0.2, 0.2), (0.9, 0.1, 0.0), (0.25, 0.25, 0.5), (0.7, 0.0, 0.3)],
            3,
        )
    ]
    yes = torch.ones(1, 3, dtype=torch.bool)
    weights = torch.tensor([rows]).double()
    found, total = attention.coverage_penalty(weights, yes, yes).item(), weights.sum(1)[0]
    kept = [num(min(one, 1.0)) for one in total.tolist()]
    product = " \\cdot ".join(kept)
    apart(*map(num, total.sort().values[:2]))  # one token is attended to least
    return Drawn(
        text=f"Three target tokens have the attention weights ${table(rows)}$ over three source tokens. "
        "Compute $\\sum_j \\ln \\min(\\sum_i \\alpha_{ij}, 1)$ as one logarithm. Which source token was "
        "attended to least?",
        answer=f"$\\ln({product}) = {num(found)}$; token {int(total.argmin())}",
        steps=(
            (f"The coverage is the sum of each column: ${table(total)}$", 2),
            (
                f"Cut at 1: ${', '.join(kept)}$. A sum of logarithms is the logarithm of the product.",
                1,
            ),
            (f"Token {int(total.argmin())} has the lowest coverage.", 1),
        ),
    )


@question("derive", "hard-attention", 6)
def hard_gradient(rng: Random) -> Drawn:
    p = rng.choice([[0.5, 0.5], [0.2, 0.8], [0.75, 0.25], [0.4, 0.6]])
    r = [rng.choice([1, 2, 4]), rng.choice([0, 6, 8])]
    b = rng.choice([1, 2, 3])
    each = [
        attention.hard_gradient(
            torch.tensor(p).double(),
            torch.tensor([k]),
            torch.tensor([r[k]]).double(),
            baseline=float(b),
        )[0].item()
        for k in range(2)
    ]
    mean = sum(chance * one for chance, one in zip(p, each, strict=True))
    apart(*map(num, each), "0")
    return Drawn(
        text=f"Hard attention samples one of two keys with $p = {table(p)}$; the rewards are "
        f"${table(r)}$. Write the estimate $(r - b)(\\delta_{{kj}} - p_j)$ of the gradient with respect "
        f"to the score of key 0 for each of the two samples, with the baseline $b = {b}$. Compute its "
        "expectation, and show that it does not depend on $b$.",
        answer=f"${num(each[0])}$ and ${num(each[1])}$; the expectation is ${num(mean)}$",
        steps=(
            (f"If key 0 is sampled: $({r[0]} - {b})(1 - {num(p[0])}) = {num(each[0])}$", 1),
            (f"If key 1 is sampled: $({r[1]} - {b})(0 - {num(p[0])}) = {num(each[1])}$", 1),
            (f"$p_0 \\cdot ({num(each[0])}) + p_1 \\cdot ({num(each[1])}) = {num(mean)}$", 1),
            (
                "The terms with $b$ are $-b\\,[p_0 (1 - p_0) - p_1 p_0] = 0$, because $p_1 = 1 - p_0$.",
                2,
            ),
        ),
    )


@question("prints", "context-vector", 3)
def hard_look(rng: Random) -> Drawn:
    weights = rng.choice([[0.1, 0.6, 0.3], [0.5, 0.2, 0.3], [0.2, 0.2, 0.6]])
    values = rng.sample([10, 20, 30, 40, 50], 3)
    soft = sum(a * b for a, b in zip(weights, values, strict=True))
    return prints(
        f"""import torch

weights = torch.tensor({weights})
values = torch.tensor({[float(one) for one in values]})
print(round((weights * values).sum().item(), 1))
print(values[weights.argmax()].item())""",
        (f"Soft attention returns the weighted mean: {num(soft)}.", 2),
        ("Hard attention, without sampling, returns the value of the largest weight alone.", 1),
    )
