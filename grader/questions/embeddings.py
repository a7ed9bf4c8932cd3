"""Questions on word vectors."""

from __future__ import annotations

import math
from random import Random

import torch

from grader.questions import Drawn, apart, question
from grader.questions.curves import curves
from grader.questions.kinds import prints, tensor, which_mistake
from grader.questions.shown import num, table
from solutions import embeddings


@question("short", "lookup", 3, public=True)
def cost_of_a_lookup(rng: Random) -> Drawn:
    words, size, length = rng.choice([5000, 10_000]), rng.choice([50, 100]), rng.choice([10, 20])
    shape = tuple(
        embeddings.lookup(torch.zeros(length, dtype=torch.int64), torch.zeros(8, size)).shape
    )
    return Drawn(
        text=f"The {length} words of a sentence are looked up in a table of {words:,} vectors with {size} numbers each. What is the "
        "shape of the result? How many multiply-adds would multiplying by one-hot vectors take, and how many "
        "does the lookup take?",
        answer=f"{shape}; {length * words * size:,}; none",
        steps=(
            (f"One row for each word: {shape}", 1),
            (f"${length} \\cdot {words} \\cdot {size}$ multiply-adds, nearly all with 0", 1),
            ("A lookup copies rows.", 1),
        ),
    )


@question("short", "lookup-gradient", 4, public=True)
def gradient_of_a_table(rng: Random) -> Drawn:
    a, b = rng.sample(range(3), 2)
    words = [a, b, a]
    g = [[rng.randint(-3, 3) for _ in range(2)] for _ in range(3)]
    found = embeddings.lookup_gradient(torch.tensor(words), torch.tensor(g).double(), words=3)
    return Drawn(
        text=f"The words {words} were looked up in a table of three vectors. The gradients of the three results are the rows of "
        f"${table(g)}$. Write down the gradient with respect to the table.",
        answer=f"${table(found)}$",
        steps=(
            (f"Word {a} was looked up twice: its two gradients are added.", 2),
            (f"Word {b} gets its own gradient; the third word gets zeros.", 1),
        ),
    )


@question("mistake", "lookup-gradient", 5)
def table_mistake(rng: Random) -> Drawn:
    g = [[float(rng.randint(1, 4))], [float(rng.randint(5, 8))], [float(rng.choice([2, 10]))]]
    return which_mistake(
        rng,
        "embeddings.lookup_gradient",
        {"input": [1, 0, 1], "gradient": g, "words": 2},
        ["last_one_wins", "first_one_wins", "mean_over_occurrences", "mean_over_words"],
        text="A student's `lookup_gradient` was called for the words 1, 0, 1 in a table of two vectors with one "
        f"number each, with the gradients {', '.join(num(one[0]) for one in g)}.",
    )


@question("prints", "counting-neighbors", 4)
def pairs_of_a_sentence(rng: Random) -> Drawn:
    words, window = (
        rng.sample(["the", "dog", "saw", "a", "cat"], rng.choice([4, 5])),
        rng.choice([1, 2]),
    )
    n = len(words)
    count = len(embeddings.skip_gram_pairs(torch.arange(n), window))
    return prints(
        f"""words, window = {words}, {window}
pairs = [
    (words[i], words[j])
    for i in range(len(words))
    for j in range(len(words))
    if i != j and abs(i - j) <= window
]
print(len(pairs), pairs[0])""",
        (f"An inner word has up to {2 * window} neighbors; words at the ends have fewer.", 1),
        (
            f"Over all {n} words there are {count} pairs of center and context; the first is the first word with its right neighbor.",
            2,
        ),
    )


def _counts(rng: Random) -> list[list[int]]:
    return rng.choice(
        [[[4, 0], [2, 2]], [[6, 2], [0, 8]], [[2, 2], [0, 4]], [[8, 4], [4, 0]], [[3, 1], [3, 9]]]
    )


@question("short", "pmi", 5, public=True)
def pmi_by_hand(rng: Random) -> Drawn:
    counts = _counts(rng)
    w = rng.randrange(2)
    total, row, column = sum(map(sum, counts)), sum(counts[w]), counts[0][0] + counts[1][0]
    found = embeddings.pmi(torch.tensor(counts))[w, 0].item()
    ratio = counts[w][0] * total / (row * column)
    apart(counts[w][0], 0)  # its PMI would be −∞
    return Drawn(
        text=f"Co-occurrences of two words (rows) with two contexts (columns) were counted: ${table(counts)}$. Write the PMI of word {w} and "
        "context 0 as one logarithm. What is their positive PMI?",
        answer=f"$\\ln {num(ratio)} = {num(found)}$; {num(max(found, 0.0))}",
        steps=(
            (
                f"$\\#(w, c) = {counts[w][0]}$, $\\#(w) = {row}$, $\\#(c) = {column}$, {total} pairs in all",
                1,
            ),
            (
                f"$\\ln \\frac{{{counts[w][0]} \\cdot {total}}}{{{row} \\cdot {column}}} = \\ln {num(ratio)}$",
                2,
            ),
            ("Positive PMI sets negative values to 0.", 1),
        ),
    )


@question("mistake", "pmi", 5)
def pmi_mistake(rng: Random) -> Drawn:
    counts = rng.choice([[[6, 2], [1, 7]], [[3, 1], [3, 9]], [[5, 3], [1, 7]]])
    return which_mistake(
        rng,
        "embeddings.pmi",
        {"counts": counts},
        ["not_normalized", "bits", "positive_already", "one_added"],
        text=f"A student's `pmi` was called with the counts ${table(counts)}$.",
        shown="The exponentials of its result are",
        view=torch.exp,
    )


@question("short", "neighbors", 3, public=True)
def cosine_against_product(rng: Random) -> Drawn:
    asked, near, far = (
        [1, 1],
        rng.choice([[2, 2], [1, 1], [3, 3]]),
        rng.choice([[9, 0], [0, 8], [10, 1]]),
    )
    vectors = torch.tensor([asked, near, far]).double()
    first, cosines = embeddings.nearest(vectors, 0, count=2)
    products = (vectors[1:] @ vectors[0]).tolist()
    return Drawn(
        text=f"A query word has the vector ${table(asked)}$; two other words have $a = {table(near)}$ and $b = {table(far)}$. "
        "Which of the two is nearer by cosine similarity, and which has the larger dot product? Why is the cosine used?",
        answer=f"{'ab'[int(first[0]) - 1]} by cosine, {'ab'[products.index(max(products))]} by dot product",
        steps=(
            (
                f"Cosines: {', '.join(num(one) for one in sorted(cosines.tolist(), reverse=True))}",
                1,
            ),
            (f"Dot products: {num(products[0])} and {num(products[1])}", 1),
            (
                "A long vector has large dot products in general; the cosine ignores lengths.",
                1,
            ),
        ),
    )


@question("short", "negative-sampling", 4, public=True)
def noise(rng: Random) -> Drawn:
    counts = rng.choice([[1, 16], [16, 81], [1, 81], [256, 16]])
    found = embeddings.noise_distribution(torch.tensor(counts)).tolist()
    raised = [round(one**0.75) for one in counts]
    return Drawn(
        text=f"Two words occur {counts[0]} and {counts[1]} times. With which probabilities are they drawn as noise words "
        "if counts are raised to the power 3/4? What does the power change?",
        answer=f"{raised[0]}/{sum(raised)} and {raised[1]}/{sum(raised)}: ${table(found)}$; rare words are drawn more often than by their counts",
        steps=(
            (f"${counts[0]}^{{3/4}} = {raised[0]}$ and ${counts[1]}^{{3/4}} = {raised[1]}$", 1),
            (f"Divided by their sum {sum(raised)}: ${table(found)}$", 1),
            (f"Without the power the rarer word would get {min(counts)}/{sum(counts)}.", 1),
        ),
    )


@question("derive", "sgns-gradient", 6, public=True)
def gradient_of_sgns(rng: Random) -> Drawn:
    v, u, n = [[rng.choice([1, 2]), 0], [0, rng.choice([1, 3])], [0, rng.choice([-2, 2])]]
    loss = embeddings.sgns_gradients(
        tensor([[float(a) for a in v]]),
        tensor([[float(a) for a in u]]),
        tensor([[[float(a) for a in n]]]),
    )
    return Drawn(
        text="Derive the gradient of $-\\ln \\sigma(u^\\top v) - \\ln \\sigma(-n^\\top v)$ with respect to $v$, with "
        "$\\sigma'(z) = \\sigma(z)(1 - \\sigma(z))$. Evaluate it for "
        f"$v = {table(v)}$, $u = {table(u)}$ and $n = {table(n)}$.",
        answer=f"$(\\sigma(u^\\top v) - 1)\\, u + \\sigma(n^\\top v)\\, n = {table(loss[0])}$",
        steps=(
            ("$-\\frac{d}{dz} \\ln \\sigma(z) = \\sigma(z) - 1$", 2),
            ("$-\\frac{d}{dz} \\ln \\sigma(-z) = \\sigma(z)$", 1),
            (
                f"Both products are 0 and $\\sigma(0) = 1/2$: $-\\tfrac{{1}}{{2}} u + \\tfrac{{1}}{{2}} n = {table(loss[0])}$",
                2,
            ),
        ),
    )


@question("mistake", "negative-sampling", 5)
def sgns_mistake(rng: Random) -> Drawn:
    odds = rng.choice([2, 3, 4])
    value = math.log(odds)
    return which_mistake(
        rng,
        "embeddings.sgns_loss",
        {"center": [[1.0]], "context": [[value]], "noise": [[[value], [value]]]},
        ["noise_not_negated", "mean_over_noise", "sign", "softmax_instead"],
        text=f"A student's `sgns_loss` was called for one pair with $u^\\top v = \\ln {odds}$, so that $\\sigma(u^\\top v) = "
        f"{odds}/{odds + 1}$, and two noise words with the same product.",
        shown="The exponential of its result is",
        view=torch.exp,
    )


@question("short", "subsampling", 3)
def kept(rng: Random) -> Drawn:
    total, share = 10_000, rng.choice([0.04, 0.01, 0.16])
    count, threshold = int(total * share), rng.choice([0.0001, 0.0004])
    rare = rng.choice([1])
    found = embeddings.keep_probability(
        torch.tensor([count, rare, total - count - rare]), threshold=threshold
    ).tolist()
    return Drawn(
        text=f"In a text of {total:,} tokens one word occurs {count} times, another once. With which probability does subsampling keep an "
        f"occurrence of each, if the threshold is $t = {threshold}$?",
        answer=f"{num(found[0])} and {num(found[1])}",
        wrong=[
            f"{num(1 - found[0])} and 0",
            f"{num(threshold / share, 4)} and 1",
            f"{num(found[0])} and 0.5",
        ],
        steps=(
            (
                f"The share of the first is $f = {share}$: $\\sqrt{{{threshold} / {share}}} = {num(found[0])}$",
                1,
            ),
            (
                "The share of the second is no larger than $t$, so the root is at least 1: it is always kept.",
                1,
            ),
        ),
    )


@question("short", "analogies", 4)
def analogy(rng: Random) -> Drawn:
    a, step = [rng.choice([1, 2]), 0], [0, rng.choice([1, 2])]
    b = [a[0] + step[0], a[1] + step[1]]
    c = [0, rng.choice([1, 2])]
    target = [c[0] + b[0] - a[0], c[1] + b[1] - a[1]]
    return Drawn(
        text=f"With the vectors $a = {table(a)}$, $b = {table(b)}$ and $c = {table(c)}$, which vector does the offset method "
        'search near for "a is to b as c is to …" (without scaling vectors to length 1)? Which words are often '
        "nearest to it, and why are they excluded?",
        answer=f"$b - a + c = {table(target)}$; words of the question itself, often c, which are not the answer",
        steps=(
            (f"$b - a = {table(step)}$, added to $c$: ${table(target)}$", 1),
            ("If the offset is short, the target lies near $c$ or $b$.", 1),
            ("Without the exclusion the answer would often be a word of the question.", 1),
        ),
    )


@question("curve", "subsampling", 3)
def keep_curves(rng: Random) -> Drawn:
    thresholds = (0.001, 0.01)
    shares = [0.005 * n for n in range(1, 21)]
    lines = {
        t: [
            embeddings.keep_probability(torch.tensor([f, 1 - f]).double(), threshold=t)[0].item()
            for f in shares
        ]
        for t in thresholds
    }
    named = dict(zip(rng.sample("AB", 2), thresholds, strict=True))
    wanted = rng.choice(thresholds)
    right = next(letter for letter, t in named.items() if t == wanted)
    return Drawn(
        text="The figure shows the probability that subsampling keeps an occurrence of a word, against the word's share of the text, for "
        f"the thresholds 0.001 and 0.01. Which curve belongs to {wanted}?",
        figure=curves(
            {one: lines[named[one]] for one in sorted(named)}, x="share of the text, in units of 0.005",
            y="probability", start=1,
            alt="Two falling curves, one below the other.",
        ),
        answer=right,
        wrong=[one for one in named if one != right],
        steps=(
            ("A word whose share is at most the threshold is always kept.", 1),
            (f"Above it the probability is the root of threshold over share, which is larger for the larger threshold: {right} for {wanted}.", 1),
        ),
    )  # fmt: skip


@question("short", "representations", 3)
def one_vector_per_word(rng: Random) -> Drawn:
    word, first, second = rng.choice(
        [
            ("bank", "river", "money"),
            ("bat", "cave", "ball"),
            ("spring", "season", "coil"),
            ("jam", "bread", "traffic"),
        ]
    )
    vectors = tensor([[1.0, 0.0], [0.0, 1.0]])
    means = [
        embeddings.neighbor_mean(torch.tensor([k, k, k]), vectors, window=1)[1].tolist()
        for k in range(2)
    ]
    return Drawn(
        text=f"*{word}* has one vector in a table of embeddings. How does this vector differ between sentences about *{first}* and about "
        f"*{second}*? Now represent *{word}* by the mean of its neighbors' vectors, which are $(1, 0)$ for all words "
        f"about {first} and $(0, 1)$ for all words about {second}. What is its representation in each of the two sentences?",
        answer=f"not at all; ${table(means[0])}$ and ${table(means[1])}$",
        steps=(
            ("An embedding is looked up by the word alone.", 1),
            ("A representation depends on the sentence: here it is the vector of the topic.", 1),
        ),
    )
