"""Questions on sequence to sequence."""

from __future__ import annotations

import math
from random import Random

import torch

from grader.questions import Alike, Drawn, question
from grader.questions.curves import curves
from grader.questions.kinds import prints, tensor, which_mistake
from grader.questions.shown import logarithms, num, table
from solutions import seq2seq

BOS, EOS = 1, 2


@question("short", "encoder-decoder", 3, public=True)
def size_of_the_summary(rng: Random) -> Drawn:
    size, short, long = rng.choice([32, 64, 100]), rng.choice([5, 8]), rng.choice([50, 80])
    return Drawn(
        text=f"A recurrent encoder with {size} hidden units reads from left to right, and hands its last state to the decoder. How many numbers does the decoder get "
        f"for a sentence of {short} tokens, how many for one of {long}, and how many are these per token? What does this mean for long sentences?",
        answer=f"{size} both times; {num(size / short)} and {num(size / long)}; there is less room for each token",
        steps=(
            ("The last state has the same size for every length.", 1),
            (
                f"{size}/{short} = {num(size / short)} and {size}/{long} = {num(size / long)}",
                1,
            ),
            ("All of a long sentence has to fit into the same vector: the bottleneck.", 1),
        ),
    )


@question("short", "teacher-forcing", 3, public=True)
def shifted(rng: Random) -> Drawn:
    target = [*rng.sample(range(3, 9), 3), EOS]
    found = seq2seq.shift_right(torch.tensor([target]), bos=BOS)[0].tolist()
    return Drawn(
        text=f"A target is {target}; 2 is the end token, and 1 the begin token. What does the decoder read in "
        "training with teacher forcing, and what must it predict at each position?",
        answer=f"reads {found}, predicts {target}",
        wrong=[
            f"reads {target}, predicts {target}",
            f"reads {target}, predicts {found}",
            f"reads {[BOS, *target]}, predicts {target}",
        ],
        steps=(
            (f"Shifted right by one, with the begin token first: {found}", 1),
            ("At each position it has read all tokens before the one that it predicts.", 1),
        ),
    )


@question("mistake", "sequence-loss", 6, public=True)
def loss_mistake(rng: Random) -> Drawn:
    a, b, c = rng.sample([2, 3, 4, 5, 7], 3)
    logits = logarithms([[[1, 1, a], [1, 1, b]], [[1, 1, c], [1, 1, 1]]])
    return which_mistake(
        rng,
        "seq2seq.sequence_loss",
        {"logits": logits, "target": [[2, 2], [2, 0]], "pad": 0},
        ["padding_counted", "zeros_in_the_mean", "mean_of_means", "summed"],
        text="A student's `sequence_loss` was called for a sequence of two tokens, whose target tokens have the "
        f"probabilities {a}/{a + 2} and {b}/{b + 2}, and a sequence of one token with {c}/{c + 2}, padded to two. At the padding "
        "all three tokens of the vocabulary have the same probability.",
        shown="The exponential of minus its result is",
        view=lambda found: (-found).exp(),
        places=4,
    )


@question("short", "perplexity", 4)
def perplexity(rng: Random) -> Drawn:
    powers = [rng.choice([1, 2, 3]), rng.choice([1, 3]), rng.choice([2, 4])]
    parts = [tensor([-one * math.log(2) for one in powers[:2]]), tensor([-powers[2] * math.log(2)])]
    found = seq2seq.perplexity(parts).item()
    wrong = (2 ** (sum(powers[:2]) / 2) + 2 ** powers[2]) / 2
    if num(wrong, 2) == num(found, 2):
        raise Alike("the mean of both perplexities is the perplexity of both sentences")
    return Drawn(
        text=f"A model gives the two tokens of one sentence the probabilities 1/{2 ** powers[0]} and 1/{2 ** powers[1]}, and the only token of another "
        f"1/{2 ** powers[2]}. What is the perplexity of both sentences together? Why is it not the mean of the two perplexities?",
        answer=f"$2^{{{sum(powers)}/3}} = {num(found, 2)}$; the mean, {num(wrong, 2)}, gives the short sentence as much weight as the long one",
        steps=(
            (
                f"The mean of $-\\ln p$ over three tokens is $\\tfrac{{{sum(powers)}}}{{3}} \\ln 2$.",
                2,
            ),
            (f"Its exponential: $2^{{{sum(powers)}/3}}$", 1),
            ("Every token counts the same, in whichever sentence it stands.", 1),
        ),
    )


@question("prints", "greedy-decoding", 4, public=True)
def greedy(rng: Random) -> Drawn:
    words = rng.sample(["red", "green", "blue"], 3)
    chain = {
        "<s>": words[0],
        words[0]: words[1],
        words[1]: rng.choice(["</s>", words[2]]),
        words[2]: "</s>",
    }
    longest = rng.choice([2, 5])
    return prints(
        f"""best = {chain}
written, token = [], "<s>"
while token != "</s>" and len(written) < {longest}:
    token = best[token]
    written.append(token)
print(*written)""",
        ("Each step reads the token that the step before it wrote.", 1),
        (f"Decoding ends with the end token, or after {longest} tokens, whichever comes first.", 2),
    )


@question("short", "exact-matches", 3)
def exact(rng: Random) -> Drawn:
    target = [*rng.sample(range(3, 9), 2), EOS, 0]
    rows = [
        [*target[:3], rng.choice([5, 7])],
        [target[1], target[0], EOS, 0],
        [*target[:2], target[0], EOS],
    ]
    rng.shuffle(rows)
    found = seq2seq.exact_match(torch.tensor(rows), torch.tensor([target] * 3), eos=EOS).tolist()
    right = [place for place, one in enumerate(found) if one]
    return Drawn(
        text=f"The target is {target}, with the end token 2 and the padding 0. Which of the rows {rows[0]}, {rows[1]} and "
        f"{rows[2]}, numbered from 0, is an exact match?",
        answer=f"row {right[0]}",
        wrong=[f"row {place}" for place in range(3) if place != right[0]] + ["none"],
        steps=(
            ("All tokens up to and including the first end token must be right.", 1),
            (f"What stands after it does not count: row {right[0]} is right.", 1),
        ),
    )


@question("short", "beams", 6, public=True)
def beam(rng: Random) -> Drawn:
    a, b = rng.choice([(0.6, 0.4), (0.5, 0.4), (0.7, 0.3)])
    first, second = (
        rng.choice([[0.5, 0.3, 0.2], [0.4, 0.35, 0.25], [0.6, 0.2, 0.2]]),
        rng.choice([[0.9, 0.05, 0.05], [0.1, 0.8, 0.1]]),
    )
    rows, tokens, scores = seq2seq.extend_beams(
        tensor([first, second]).log(), tensor([a, b]).log(), beam=2
    )
    best = [
        f"{'ab'[int(r)]}{int(t)} ({num(s.exp())})"
        for r, t, s in zip(rows, tokens, scores, strict=True)
    ]
    greedy_ = f"a{first.index(max(first))} ({num(a * max(first))})"
    return Drawn(
        text=f"A beam of 2 holds the hypotheses a and b with the probabilities {a} and {b}. The next token is 0, 1 or 2, with the probabilities "
        f"${table(first)}$ after a and ${table(second)}$ after b. Which two hypotheses are kept, and with which "
        "probabilities? Which one does greedy decoding reach?",
        answer=f"{best[0]} and {best[1]}; greedy: {greedy_}",
        steps=(
            (f"After a: ${table([a * one for one in first])}$", 1),
            (f"After b: ${table([b * one for one in second])}$", 1),
            (f"The two largest of all six: {best[0]} and {best[1]}.", 2),
            (f"Greedy decoding kept only a, the likelier one: {greedy_}.", 1),
        ),
    )


@question("short", "exhaustive", 3)
def number_of_sequences(rng: Random) -> Drawn:
    words, length, width = rng.choice([10, 100]), rng.choice([3, 5, 10]), rng.choice([4, 5])
    return Drawn(
        text=f"A decoder has {words} tokens besides the end token. How many sequences of exactly {length} such tokens, followed by the end "
        f"token, would an exhaustive search score? How many extensions does a beam of {width} score in each round at "
        "most?",
        answer=f"${words}^{{{length}}}$; {width * (words + 1)}",
        wrong=[
            f"${length}^{{{words}}}$; {width * (words + 1)}",
            f"${words}^{{{length}}}$; ${width}^{{{length}}}$",
            f"{words * length}; {width * (words + 1)}",
        ],
        steps=(
            (f"Each of {length} places has {words} choices.", 1),
            (f"Each of {width} hypotheses has {words + 1} continuations.", 1),
        ),
    )


@question("derive", "length-penalty", 5)
def lengths(rng: Random) -> Drawn:
    short, long, a = 1, rng.choice([7, 13]), float(rng.choice([-2, -3, -4]))
    b = a - rng.choice([1.0, 1.5])
    without = [a, b]
    with_ = [
        seq2seq.length_score(tensor([one]), n, penalty=1.0).item()
        for one, n in ((a, short), (b, long))
    ]
    better = ["short" if x > y else "long" for x, y in (without, with_)]
    return Drawn(
        text=f"A translation of {short} token has $\\ln P = {num(a)}$, and one of {long} tokens has $\\ln P = {num(b)}$. Show why "
        "log-probabilities favor short sequences. Which of the two wins by $\\ln P$, and which by $\\ln P / ((5 + n)/6)^\\zeta$ "
        "with $\\zeta = 1$?",
        answer=f"the {better[0]} one; the {better[1]} one",
        steps=(
            ("Every further token multiplies $P$ by at most 1, so $\\ln P$ never rises.", 2),
            (f"By $\\ln P$ the {better[0]} one wins.", 1),
            (
                f"Scores: ${num(a)} / {num((5 + short) / 6)} = {num(with_[0])}$ and ${num(b)} / {num((5 + long) / 6)} = {num(with_[1])}$",
                2,
            ),
        ),
    )


@question("mistake", "length-penalty", 4)
def length_mistake(rng: Random) -> Drawn:
    value, n = float(rng.choice([-6, -12, -18])), rng.choice([7, 13, 19])
    return which_mistake(
        rng,
        "seq2seq.length_score",
        {"log_prob": torch.tensor(value), "length": n, "penalty": 2.0},
        ["exponent_forgotten", "per_token", "six_forgotten", "multiplied_by_the_penalty"],
        text=f"A student's `length_score` was called with $\\ln P = {num(value)}$, $n = {n}$ and $\\zeta = 2$.",
    )


@question("short", "ngram-precision", 5)
def clipped(rng: Random) -> Drawn:
    word, other = rng.choice([("the", "cat"), ("a", "dog"), ("very", "good")])
    times = rng.choice([2, 3])
    said, reference = [word] * times + [other], [word, other, "sat"]
    one = seq2seq.clipped_counts(said, [reference], 1)
    two = seq2seq.clipped_counts(said, [reference], 2)
    return Drawn(
        text=f"The translation is *{' '.join(said)}*, the reference *{' '.join(reference)}*. Compute the clipped precisions of "
        "unigrams and bigrams. What would the unigram precision be without clipping?",
        answer=f"{one[0]}/{one[1]} and {two[0]}/{two[1]}; {times + 1}/{times + 1}",
        steps=(
            (
                f"*{word}* occurs {times} times, but counts at most as often as in the reference: once.",
                1,
            ),
            (f"Unigrams: {one[0]}/{one[1]}", 1),
            (f"Bigrams: only *{word} {other}* is in the reference: {two[0]}/{two[1]}", 1),
            ("Without clipping, every word counts as correct.", 1),
        ),
    )


@question("short", "brevity", 3, public=True)
def brevity(rng: Random) -> Drawn:
    length, reference = rng.choice([(5, 10), (10, 20), (10, 5), (8, 8), (10, 15)])
    found = seq2seq.brevity_penalty(length, reference)
    power = num(1 - reference / length)
    return Drawn(
        text=f"A translation has {length} words, its reference {reference}. What is the brevity penalty? Why does BLEU need it?",
        answer=(f"$e^{{{power}}} = {num(found)}$" if found < 1 else "1")
        + "; precision alone favors translations that are too short",
        steps=(
            (f"$\\min(1,\\ e^{{1 - {reference}/{length}}}) = {num(found)}$", 1),
            ("A single word that is surely in the reference has a precision of 1.", 1),
        ),
    )


@question("curve", "bottleneck-by-length", 3)
def by_length(rng: Random) -> Drawn:
    share = rng.choice([0.9, 0.95])
    lengths_ = range(1, 21)
    token = [share for _ in lengths_]
    line = [share**n for n in lengths_]
    named = dict(zip(rng.sample("AB", 2), (token, line), strict=True))
    right = next(letter for letter, one in named.items() if one is line)
    return Drawn(
        text="Suppose that every token is right with the same probability, independently of the others. The figure shows the share of tokens that are right "
        "and the share of lines that are right as a whole, against the number of tokens in a line. Which curve is the share of "
        "lines? What is the probability that a token is right? Does the falling share of lines alone prove a bottleneck?",
        figure=curves(
            {one: named[one] for one in sorted(named)}, x="tokens in a line", y="share", start=1,
            alt="One curve is level, the other falls with the length.",
        ),
        answer=f"{right}, {share}; no",
        steps=(
            ("A line is right if all its tokens are: the probabilities multiply.", 1),
            (f"A line of one token: {share}", 1),
            ("Long lines are right less often even if each token is as good as in short ones.", 1),
        ),
    )  # fmt: skip


@question("mistake", "exposure-bias", 4)
def scheduled_mistake(rng: Random) -> Drawn:
    forced, written = [1, *rng.sample(range(3, 7), 3)], [*rng.sample(range(10, 19), 4)]
    uniform = [0.1, *rng.sample([0.1, 0.3, 0.8], 3)]
    return which_mistake(
        rng,
        "seq2seq.scheduled_inputs",
        {"forced": [forced], "written": [written], "uniform": [uniform], "share": 0.5},
        ["not_shifted", "first_replaced", "shares_swapped"],
        text=f"A student's `scheduled_inputs` was called with the inputs {forced} of teacher forcing, the tokens {written} that "
        f"the model wrote, one per position, the random numbers {uniform}, and 0.5 as the share of inputs that come from the model: "
        "where the random number is below it.",
    )
