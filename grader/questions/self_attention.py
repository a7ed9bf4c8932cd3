"""Questions on self-attention."""

from __future__ import annotations

import math
from random import Random

import torch

from grader.questions import Drawn, question
from grader.questions.curves import curves
from grader.questions.kinds import prints, tensor, which_mistake
from grader.questions.shown import logarithms, logs, num, table
from solutions import self_attention


@question("short", "soft-lookup", 4, public=True)
def lookup(rng: Random) -> Drawn:
    keys, values = rng.sample([0, 1, 2, 3], 2), [rng.randint(0, 4), rng.randint(5, 10)]
    cold = self_attention.soft_lookup(
        tensor([1.0]),
        tensor([[float(k)] for k in keys]),
        tensor([[float(v)] for v in values]),
        temperature=0.01,
    ).item()
    gap = abs(keys[0] - keys[1])
    return Drawn(
        text=f"A soft dictionary has the keys {keys[0]} and {keys[1]} with the values {values[0]} and {values[1]}, "
        "numbers all of them. The query is 1 and the score is the dot product. What is the ratio of the larger "
        "weight to the smaller one? What does the lookup return as the temperature goes to 0, and as it grows "
        "without end?",
        answer=f"$e^{{{gap}}}$; {num(cold)}; {num(sum(values) / 2)}",
        steps=(
            (f"The scores are the keys: $e^{{{max(keys)} - {min(keys)}}} = e^{{{gap}}}$", 1),
            (f"Near 0 the best match alone answers: {num(cold)}.", 1),
            (f"At a high temperature all weights are equal: {num(sum(values) / 2)}.", 1),
        ),
    )


@question("curve", "soft-lookup", 3, public=True)
def temperatures(rng: Random) -> Drawn:
    scores = tensor([2.0, 1.0, 0.0])
    taus = [0.25 * n for n in range(1, 17)]
    weights = [torch.softmax(scores / tau, 0).tolist() for tau in taus]
    lines = [[one[k] for one in weights] for k in range(3)]
    order = [0, 1, 2]
    named = dict(zip(rng.sample("ABC", 3), order, strict=True))
    wanted = rng.choice(order)
    right = next(letter for letter, k in named.items() if k == wanted)
    return Drawn(
        text="Three keys have the scores 2, 1 and 0. The figure shows their attention weights as the temperature "
        f"grows. Which curve is the key with the score {2 - wanted}, and what do all three approach?",
        figure=curves(
            {one: lines[named[one]] for one in sorted(named)}, x="temperature, in quarters", y="weight", start=1,
            alt="Three weights: one falls from 1, one rises and falls a little, one rises from 0; all come together.",
        ),
        answer=f"{right}; 1/3",
        steps=(
            ("At every temperature a higher score has a higher weight: order the curves by height.", 1),
            ("Divided by a large number, all scores are nearly equal.", 1),
        ),
    )  # fmt: skip


@question("short", "iterated-self-attention", 5)
def iterated(rng: Random) -> Drawn:
    a, b = rng.sample([1, 2, 3], 2)
    x = tensor([[float(a), 0.0], [0.0, float(b)]])
    levels = self_attention.iterated_self_attention(x, 20)
    apart = (levels[-1][0] - levels[-1][1]).norm().item()
    near = "approach each other" if apart < (x[0] - x[1]).norm().item() else "stay apart"
    return Drawn(
        text=f"Self-attention without parameters is applied to $x_1 = ({a}, 0)$ and $x_2 = (0, {b})$. Write the "
        "weights of the first query with exponentials, and its new vector. What happens to the two vectors if "
        "the step is repeated, and why?",
        answer=f"$e^{{{a * a}}}/(e^{{{a * a}}} + 1)$ and $1/(e^{{{a * a}}} + 1)$; they {near}",
        steps=(
            (f"The scores are $x_1^\\top x_1 = {a * a}$ and $x_1^\\top x_2 = 0$.", 1),
            (f"$x_1 \\leftarrow (e^{{{a * a}}} x_1 + x_2) / (e^{{{a * a}}} + 1)$", 2),
            ("Each new vector is a mean of the old ones, and means of means become alike.", 1),
        ),
    )


@question("short", "queries-keys-values", 3, public=True)
def parameters_of_the_layer(rng: Random) -> Drawn:
    D, dk, dv = rng.choice([30, 50, 100]), rng.choice([10, 20]), rng.choice([15, 40])
    count = sum(one.numel() for one in self_attention.SelfAttention(D, d_k=dk, d_v=dv).parameters())
    length = rng.choice([10, 1000])
    return Drawn(
        text=f"A self-attention layer without biases reads {D} features, with $d_k = {dk}$ and $d_v = {dv}$. How "
        f"many parameters does it have for sequences of {length} positions?",
        answer=f"{count}",
        wrong=[f"{count * length}", f"{D * dk + D * dv}", f"{3 * D * D}"],
        steps=(
            (f"$W_Q$ and $W_K$: $2 \\cdot {D} \\cdot {dk}$; $W_V$: ${D} \\cdot {dv}$", 1),
            (f"{count} in all; the length does not matter.", 1),
        ),
    )


@question("derive", "scaling", 6, public=True)
def variance_of_a_score(rng: Random) -> Drawn:
    d, variance = rng.choice([16, 64, 100]), rng.choice([1, 2])
    return Drawn(
        text=f"The {d} entries of a query and of a key are independent, with mean 0 and variance {variance} each. "
        "Derive the variance of their dot product, and its standard deviation after division by $\\sqrt{d_k}$. "
        "Why is a large spread of the scores harmful?",
        answer=f"{d * variance**2}; {variance}; the softmax saturates and its gradient vanishes",
        steps=(
            (f"A product of two independent entries of mean 0 has the variance ${variance} \\cdot {variance} = "
             f"{variance**2}$.", 2),
            (f"{d} independent products add up to a variance of {d * variance**2}.", 1),
            (f"Divided by $\\sqrt{{{d}}}$ the variance is {variance**2}, and the standard deviation {variance}.", 1),
            ("One weight goes to 1 and the others to 0, where the softmax has almost no slope.", 1),
        ),
    )  # fmt: skip


@question("short", "scaling", 3)
def entropies(rng: Random) -> Drawn:
    keys = rng.choice([4, 8, 16, 32])
    even = self_attention.entropy(torch.full((keys,), 1 / keys).double()).item()
    half = self_attention.entropy(tensor([0.5, 0.5] + [0.0] * (keys - 2))).item()
    return Drawn(
        text=f"A query attends to {keys} keys. What is the entropy of its weights in nats if they are even, if two of "
        "them are 1/2, and if one is 1? Write logarithms.",
        answer=f"$\\ln {keys} = {num(even)}$, $\\ln 2 = {num(half)}$, 0",
        steps=(
            (
                f"Even: $-{keys} \\cdot \\tfrac{{1}}{{{keys}}} \\ln \\tfrac{{1}}{{{keys}}} = \\ln {keys}$",
                1,
            ),
            ("Two halves: $\\ln 2$; weights of 0 add nothing.", 1),
            ("One key takes all: $-1 \\ln 1 = 0$", 1),
        ),
    )


@question("short", "masks", 3, public=True)
def both_masks(rng: Random) -> Drawn:
    longest = rng.choice([4, 5])
    length = rng.randint(2, longest - 1)
    mask = (
        self_attention.causal_mask(longest)
        & self_attention.padding_mask(torch.tensor([length]), longest)[0]
    )
    last = int(mask[-1].sum())
    return Drawn(
        text=f"A sequence of {length} tokens is padded to {longest}. Write the causal mask combined with the padding "
        "mask as a matrix of 0 and 1, rows for queries, 1 for *may attend*. How many keys does the last row see?",
        answer=f"${table(mask.int())}$; {last}",
        steps=(
            ("Causal: ones on and below the diagonal.", 1),
            (f"Padding: the columns from {length} on are 0.", 1),
            (f"Both must allow a key; the last row sees {last}.", 1),
        ),
    )


@question("mistake", "masks", 4)
def causal_mistake(rng: Random) -> Drawn:
    length = rng.choice([3, 4, 5])
    return which_mistake(
        rng,
        "self_attention.causal_mask",
        {"length": length},
        ["not_oneself", "future_alone", "true_means_blocked"],
        text=f"A student's `causal_mask` was called for {length} positions. 1 stands for True.",
    )


@question("mistake", "scaled-dot-product-attention", 6)
def attention_mistake(rng: Random) -> Drawn:
    parts = rng.sample([1, 2, 3, 4, 5], 2)
    values = [[float(rng.randint(0, 4))], [float(rng.randint(6, 10))]]
    key = (logarithms([parts]).T * math.sqrt(4)).repeat(1, 4) / 4
    return which_mistake(
        rng,
        "self_attention.scaled_dot_product_attention",
        {"query": torch.ones(1, 4).double(), "key": key, "value": values},
        ["not_scaled", "scaled_by_d_k", "multiplied_by_root"],
        text="A student's `scaled_dot_product_attention` was called with one query of $d_k = 4$ features and two "
        f"keys. The products are $q^\\top k_1 = 2 \\ln {parts[0]}$ and $q^\\top k_2 = 2 \\ln {parts[1]}$; the "
        f"values are {num(values[0][0])} and {num(values[1][0])}.",
        places=2,
    )


@question("short", "scaled-dot-product-attention", 4)
def attention_by_hand(rng: Random) -> Drawn:
    parts = rng.choice([[1, 1, 2], [1, 4, 5], [2, 3, 5], [1, 3, 4]])
    values = [rng.randint(0, 3), rng.randint(4, 6), rng.choice([8, 10])]
    d = rng.choice([4, 9, 16])
    root = math.isqrt(d)
    query = torch.ones(1, d).double()
    key = (logarithms([parts]).T * root).repeat(1, d) / d
    found = self_attention.scaled_dot_product_attention(
        query, key, tensor([[float(v)] for v in values])
    ).item()
    return Drawn(
        text=f"A query has $d_k = {d}$ features. Its products with three keys are {root} times ${logs(parts)}$; the "
        f"values are {', '.join(map(str, values))}. Compute the output of scaled dot-product attention.",
        answer=f"{num(found)}",
        steps=(
            (f"Divided by $\\sqrt{{{d}}} = {root}$ the scores are ${logs(parts)}$.", 1),
            (f"The weights are {', '.join(f'{one}/{sum(parts)}' for one in parts)}.", 1),
            (f"The weighted mean of the values is {num(found)}.", 1),
        ),
    )


@question("short", "order", 3, public=True)
def permuted(rng: Random) -> Drawn:
    words = rng.sample(["red", "green", "blue", "black", "white"], 3)
    moved = rng.choice([words[1:] + words[:1], words[::-1]])
    return Drawn(
        text=f"A self-attention layer without positions and without a mask reads *{' '.join(words)}*, then *{' '.join(moved)}*. "
        f"How does its output for *{words[0]}* differ between the two? What changes with a causal mask?",
        answer="not at all; with a causal mask it depends on which words stand before",
        steps=(
            (
                "The output is a weighted sum over all words, and a sum does not depend on their order.",
                1,
            ),
            (
                "A causal mask lets a word see only those before it, which are others in another order.",
                1,
            ),
        ),
    )


@question("short", "cost", 5)
def costs(rng: Random) -> Drawn:
    length, D = rng.choice([10, 50, 200]), rng.choice([20, 100])
    attention = self_attention.operations("attention", length=length, features=D)
    recurrence = self_attention.operations("recurrent", length=length, features=D)
    serial = [self_attention.serial_steps(one, length=length) for one in ("attention", "recurrent")]
    return Drawn(
        text=f"Count the multiply-adds for {length} positions of {D} features: of self-attention (three projections, "
        "scores, weighted sum) and of an Elman layer (two products per step). How many steps in a row does each of "
        "them need at least, in order of magnitude?",
        answer=f"{attention:,} and {recurrence:,}; a fixed number ({serial[0]}) and one per position ({serial[1]})",
        steps=(
            (f"$3 T D^2 + 2 T^2 D = {attention:,}$", 2),
            (f"$2 T D^2 = {recurrence:,}$", 1),
            (
                "All positions of attention are computed at once; a state waits for the one before it.",
                1,
            ),
        ),
    )


@question("mistake", "cost", 4)
def operations_mistake(rng: Random) -> Drawn:
    length, D = rng.choice([10, 20]), rng.choice([5, 30])
    return which_mistake(
        rng,
        "self_attention.operations",
        {"layer": "attention", "length": length, "features": D},
        ["no_projections", "output_projection", "no_weighted_sum", "twice"],
        text=f"A student's `operations` was called for attention with {length} positions of {D} features.",
        places=0,
    )


@question("prints", "cost", 4, public=True)
def path_of_a_signal(rng: Random) -> Drawn:
    length, width = rng.choice([9, 28, 82]), 3
    hops = {
        kind: self_attention.path_length(kind, length=length, width=width)
        for kind in ("convolution", "dilated")
    }
    return prints(
        f"""distance, width = {length - 1}, {width}
layers, reach = 0, 0
while reach < distance:
    reach += width - 1
    layers += 1
print(1, layers, distance)""",
        (
            f"Each causal convolution reaches {width - 1} positions further: {hops['convolution']} layers.",
            2,
        ),
        (
            "Attention reaches every position in one layer; a recurrence takes a step for each position.",
            1,
        ),
    )
