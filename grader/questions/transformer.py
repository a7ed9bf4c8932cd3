"""Questions on the Transformer."""

from __future__ import annotations

import math
from random import Random

import torch

from grader.questions import Drawn, apart, question
from grader.questions.curves import curves
from grader.questions.kinds import prints, which_mistake
from grader.questions.shown import num, table
from solutions import transformer


def _count(module: torch.nn.Module) -> int:
    return sum(one.numel() for one in module.parameters())


@question("short", "heads", 3, public=True)
def shapes_of_heads(rng: Random) -> Drawn:
    heads, size, batch, length = (
        rng.choice([2, 4, 8]),
        rng.choice([8, 16]),
        rng.choice([3, 5]),
        rng.choice([7, 10]),
    )
    D = heads * size
    split = tuple(transformer.split_heads(torch.zeros(batch, length, D), heads).shape)
    return Drawn(
        text=f"Queries of shape ({batch}, {length}, {D}), (batch, positions, features), are split into "
        f"{heads} heads. Which shape does attention get, and how large is the table of weights of all "
        "heads, in numbers?",
        answer=f"{split}, {batch * heads * length * length} numbers",
        wrong=[
            f"{(batch, length, heads, size)}, {batch * heads * length * length} numbers",
            f"{split}, {batch * length * length} numbers",
            f"{(batch, heads, size, length)}, {batch * heads * size * size} numbers",
        ],
        steps=(
            (
                f"The features become (heads, $d_k$) = ({heads}, {size}), and heads move before positions.",
                1,
            ),
            (f"Each head has its own table: ${batch} \\cdot {heads} \\cdot {length}^2$.", 1),
        ),
    )


@question("mistake", "heads", 4)
def split_mistake(rng: Random) -> Drawn:
    start = rng.randint(1, 40)
    x = [[start + 4 * row + column for column in range(4)] for row in range(3)]
    return which_mistake(
        rng,
        "transformer.split_heads",
        {"x": x, "num_heads": 2},
        ["reshaped_at_once", "not_swapped", "every_third_feature"],
        text=f"A student's `split_heads` was called with `num_heads=2` and $x = {table(x)}$, a row for "
        "each of three positions. Look at the first entry of the result, which should be head 0.",
        view=lambda found: found[0],
    )


@question("short", "heads", 4, public=True)
def parameters_of_attention(rng: Random) -> Drawn:
    heads, D = rng.choice([2, 4, 5, 10]), rng.choice([20, 40, 60, 80])
    one, many = (_count(transformer.MultiHeadAttention(D, h, bias=False)) for h in (1, heads))
    if one != many:
        raise AssertionError("heads cost no parameters")
    return Drawn(
        text=f"Multi-head attention without biases has {heads} heads and $D = {D}$ features. How many "
        "parameters does it have, and how many would it have with a single head?",
        answer=f"{many} and {one}",
        wrong=[
            f"{many} and {one // heads}",
            f"{many * heads} and {one}",
            f"{3 * D * D} and {3 * D * D}",
        ],
        steps=(
            (f"$W_Q$, $W_K$, $W_V$ and $W_O$ have ${D}^2$ entries each: ${4} \\cdot {D * D}$.", 2),
            ("The heads share the features, so their number does not matter.", 1),
        ),
    )


@question("curve", "two-questions", 3)
def one_head_for_two(rng: Random) -> Drawn:
    symbols, mix = rng.choice([4, 8]), rng.choice([0.5])
    scale = torch.linspace(0, 1, 11)
    first = scale.tolist()
    second = (1 - scale).tolist()
    both = [min(a, b) for a, b in zip(first, second, strict=True)]
    named = dict(zip(rng.sample("ABC", 3), (first, second, both), strict=True))
    right = next(name for name, line in named.items() if line is both)
    return Drawn(
        text=f"One head divides its weight between two places, whose symbols are of {symbols} kinds. The "
        "figure shows the weight on the first place, the weight on the second, and the smaller of the "
        "two, as the division changes. Which curve is the smaller weight, and what is its largest "
        "value? What do two heads reach?",
        figure=curves(
            {name: named[name] for name in sorted(named)},
            x="division, in tenths",
            y="weight",
            alt="One line rises from 0 to 1, one falls from 1 to 0, one rises to one half and falls.",
        ),
        answer=f"{right}, at most {mix}; two heads reach 1 on both places",
        steps=(
            (f"The smaller weight is 0 at both ends and largest in the middle: {right}, {mix}.", 2),
            ("The weights of one head sum to 1. Two heads have a sum of 1 each.", 1),
        ),
    )


@question("derive", "sinusoidal", 7, public=True)
def distance_alone(rng: Random) -> Drawn:
    s, t = rng.sample(range(1, 30), 2)
    pairs = rng.choice([2, 4, 8])
    codes = transformer.sinusoidal(40, 2 * pairs).double()
    equal = codes[t] @ codes[t]
    return Drawn(
        text="Show that the product of two sinusoidal encodings, $\\psi_s \\cdot \\psi_t$, depends on the "
        f"distance $s - t$ alone. Evaluate $\\psi_{{{t}}} \\cdot \\psi_{{{t}}}$ for $D = {2 * pairs}$ "
        f"features. Is $\\psi_{{{s}}} \\cdot \\psi_{{{t}}}$ larger or smaller?",
        answer=f"$\\sum_i \\cos(\\omega_i (s - t))$; {num(equal.item())}; smaller",
        steps=(
            ("Each pair contributes $\\sin \\omega_i s \\sin \\omega_i t + \\cos \\omega_i s \\cos "
             "\\omega_i t$.", 2),
            ("By the rule for the cosine of a difference this is $\\cos(\\omega_i (s - t))$.", 1),
            (f"At distance 0 each of the {pairs} pairs contributes $\\cos 0 = 1$.", 1),
            ("Elsewhere no cosine exceeds 1, and that of the fastest pair is below 1.", 1),
        ),
    )  # fmt: skip


@question("mistake", "sinusoidal", 5)
def sinusoidal_mistake(rng: Random) -> Drawn:
    return which_mistake(
        rng,
        "transformer.sinusoidal",
        {"length": rng.choice([2, 3]), "features": 4, "base": rng.choice([100.0, 400.0, 10_000.0])},
        [
            "halves_not_interleaved",
            "sine_and_cosine_swapped",
            "counted_from_one",
            "exponent_halved",
        ],
        text="A student's `sinusoidal` was called for 4 features. Its rows are positions. The columns "
        "of the right result are $\\sin \\omega_0 t$, $\\cos \\omega_0 t$, $\\sin \\omega_1 t$, $\\cos "
        "\\omega_1 t$ with $\\omega_0 = 1$, $t = 0, 1, \\dots$ and $\\omega_1$ at most $0.1$. "
        "($\\sin 1 = 0.84$, $\\cos 1 = 0.54$)",
        places=2,
    )


@question("short", "rotary", 5, public=True)
def turned(rng: Random) -> Drawn:
    q, turns = [rng.choice([1, 2, 3, -1]), rng.choice([0, 2, -2, 4])], rng.choice([1, 2, 3])
    angle = math.pi / 2
    t = turns + 4 * rng.choice([0, 1, 2])
    found = transformer.rotary(torch.tensor([q]).double(), torch.tensor([t]), base=[angle])[0]
    return Drawn(
        text=f"A head has $d_k = 2$, and rotary positions with the rate $\\omega_0 = \\pi/2$. To which "
        f"vector is the query $q = {table(q)}$ turned at position {t}? Which positions does this rate "
        "not tell apart?",
        answer=f"${table(found, 2)}$; positions that differ by a multiple of 4",
        steps=(
            (
                f"The angle is ${t} \\cdot \\pi/2$, which is {turns} quarter turns and {t // 4} whole ones.",
                1,
            ),
            ("A quarter turn maps $(q_1, q_2)$ to $(-q_2, q_1)$.", 1),
            (f"The result is ${table(found, 2)}$.", 1),
            ("Four quarter turns are a whole turn; slower pairs tell such positions apart.", 1),
        ),
    )


@question("derive", "rotary", 6)
def relative_scores(rng: Random) -> Drawn:
    s, shift = rng.randint(2, 9), rng.choice([10, 100])
    back = rng.randint(1, 2)
    q, k = torch.randn(2, 1, 4, generator=torch.Generator().manual_seed(s)).double()
    at = [
        (
            transformer.rotary(q, torch.tensor([one]))
            @ transformer.rotary(k, torch.tensor([one - back])).T
        ).item()
        for one in (s, s + shift)
    ]
    if not math.isclose(at[0], at[1], abs_tol=1e-9):
        raise AssertionError("rotary scores depend on the distance alone")
    return Drawn(
        text="Show with $R_s^\\top = R_{-s}$ and $R_s R_t = R_{s + t}$ that a rotary score depends on "
        f"the distance alone. A query at position {s} and a key at position {s - back} have the score "
        f"$a$. What is their score at positions {s + shift} and {s + shift - back}? Why are values not "
        "rotated?",
        answer="$a$; what a head passes on must not depend on its position",
        steps=(
            ("$(R_s q) \\cdot (R_t k) = q^\\top R_s^\\top R_t k = q^\\top R_{t - s} k$", 2),
            (f"The distance is {back} both times, so the score is $a$ again.", 1),
            ("A rotated value would depend on where it stood, though only scores are at stake.", 2),
        ),
    )


@question("mistake", "rotary", 5)
def rotary_mistake(rng: Random) -> Drawn:
    q = [[float(rng.choice([1, 2, 3])), float(rng.choice([4, 5]))]]
    quarter = math.pi / 2
    return which_mistake(
        rng,
        "transformer.rotary",
        {"x": q, "positions": [1], "base": [quarter]},
        ["clockwise", "sign_lost", "positions_ignored", "waves_added"],
        text=f"A student's `rotary` was called with the query ${table(q)}$ at position 1, with $d_k = 2$ "
        "and the rate $\\pi/2$, a quarter turn per position.",
        places=2,
    )


@question("short", "grouped-queries", 4, public=True)
def cache_of_groups(rng: Random) -> Drawn:
    heads, size, length = rng.choice([8, 16, 32]), rng.choice([64, 128]), rng.choice([1000, 2000])
    shared = rng.choice([2, 4])
    groups = heads // shared
    kept = 2 * transformer.repeat_heads(torch.zeros(groups, 1, size), 1).numel() * length
    return Drawn(
        text=f"A layer has {heads} query heads of $d_k = {size}$; {shared} of them share each key-value "
        f"head. How many numbers do the keys and values of {length} positions hold, and what share is "
        "that of the numbers without sharing?",
        answer=f"{kept:,} numbers, 1/{shared}",
        wrong=[
            f"{kept // 2:,} numbers, 1/{shared}",
            f"{kept * shared:,} numbers, 1/{shared}",
            f"{kept:,} numbers, 1/{heads}",
        ],
        steps=(
            (f"There are {heads}/{shared} = {groups} key-value heads.", 1),
            (f"Keys and values: $2 \\cdot {groups} \\cdot {size} \\cdot {length} = {kept:,}$", 2),
        ),
    )


@question("prints", "grouped-queries", 4)
def neighbors_share(rng: Random) -> Drawn:
    heads, times = rng.choice([2, 3]), rng.choice([2, 3])
    names = [f"k{one}" for one in range(heads)]
    wanted = rng.randrange(1, heads * times - 1)
    indexes = transformer.repeat_heads(torch.arange(heads)[:, None, None], times).flatten().tolist()
    apart(indexes[wanted], wanted % heads)  # the two orders differ there
    return prints(
        f"""keys = {names}
shared = [key for key in keys for _ in range({times})]
cycled = keys * {times}
print(shared[{wanted}], cycled[{wanted}])""",
        (f"`shared` repeats each key in place: key {indexes[wanted]} stands at {wanted}.", 1),
        (f"`cycled` repeats the whole list: place {wanted} has key {wanted % heads}.", 1),
        ("In grouped-query attention neighbors share, so `shared` is the right order.", 1),
    )


@question("short", "rms-norm", 4)
def rms_norm(rng: Random) -> Drawn:
    x = rng.choice([[1, 7], [7, -1], [17, 7], [-7, 17], [2, 14], [14, -2]])
    rng.shuffle(x)
    size = math.sqrt(sum(one * one for one in x) / 2)
    norm = transformer.RMSNorm(2, eps=0.0)
    found = norm(torch.tensor(x).double()).tolist()
    return Drawn(
        text=f"Compute RMSNorm of $x = {table(x)}$ with $\\gamma = 1$ and $\\varepsilon = 0$. How does "
        "the result change if $x$ is multiplied by 10, and how if 10 is added to each entry?",
        answer=f"${table(found)}$; not at all; it changes, because the mean is not subtracted",
        steps=(
            (f"$\\tfrac{{1}}{{2}} \\sum_i x_i^2 = {num(size * size)}$, with the root {num(size)}.", 1),
            (f"$x / {num(size)} = {table(found)}$", 1),
            ("A factor cancels. A constant changes both entries and the root: only layer "
             "normalization subtracts the mean.", 2),
        ),
    )  # fmt: skip


@question("short", "block", 4, public=True)
def parameters_of_a_block(rng: Random) -> Drawn:
    D, times = rng.choice([10, 20, 50]), rng.choice([2, 4])
    layer = transformer.EncoderLayer(D, 2, times * D, bias=False)
    attention, forward = 4 * D * D, 2 * times * D * D
    norms = _count(layer) - attention - forward
    return Drawn(
        text=f"An encoder layer has $D = {D}$ features, a feed-forward network with {times * D} hidden "
        "units, and no biases in its linear layers. How many weights do the matrices of the attention "
        "and of the feed-forward network have? Which part is the larger one?",
        answer=f"{attention} and {forward}; "
        + ("the feed-forward network" if forward > attention else "they are equal"),
        steps=(
            (f"Attention: four matrices, $4 D^2 = {attention}$.", 1),
            (f"Feed-forward network: $2 \\cdot D \\cdot {times} D = {forward}$.", 1),
            (f"The two norms add only {norms} numbers.", 1),
        ),
    )


@question("short", "norm-order", 5)
def pre_and_post_norm(rng: Random) -> Drawn:
    size, layers = rng.choice([1, 2]), rng.choice([4, 9, 16, 25])
    grown = math.sqrt(size**2 * layers)
    return Drawn(
        text=f"In a pre-norm network each of {layers} branches adds a vector of norm {size} to the "
        "stream, which begins at 0; the vectors are orthogonal. What is the norm of the stream at the "
        "end, and what share of it is the last vector's norm? How does this share depend on the depth "
        "with post-norm?",
        answer=f"{num(grown)}, 1/{round(grown / size)}; with post-norm not at all",
        steps=(
            (
                f"Squares of orthogonal vectors add up: $\\sqrt{{{layers} \\cdot {size}^2}} = {num(grown)}$.",
                2,
            ),
            (f"The share is {size}/{num(grown)}; it falls with the depth.", 1),
            (
                "Post-norm rescales the stream after every addition, so the last share stays the same.",
                2,
            ),
        ),
    )


@question("mistake", "decoder", 4, public=True)
def decoder_mask_mistake(rng: Random) -> Drawn:
    longest, length = 4, rng.choice([2, 3])
    return which_mistake(
        rng,
        "transformer.decoder_mask",
        {"lengths": [length], "longest": longest},
        ["joined_by_or", "padding_forgotten", "future_not_hidden", "strictly_past", "true_blocks"],
        text=f"A student's `decoder_mask` was called for one sequence of {length} real positions, padded "
        f"to {longest}. Rows are queries; 1 stands for True, which may attend.",
    )


@question("short", "decoder", 4)
def shapes_of_cross_attention(rng: Random) -> Drawn:
    source, target, D, heads = (
        rng.choice([6, 9]),
        rng.choice([4, 7]),
        rng.choice([32, 64]),
        rng.choice([2, 4]),
    )
    layer = transformer.MultiHeadAttention(D, heads)
    query, memory = torch.zeros(1, target, D), torch.zeros(1, source, D)
    found, weights = layer(query, memory, need_weights=True)
    table_ = tuple(weights.shape[1:])
    return Drawn(
        text=f"A decoder has {target} positions, the encoder {source}, both with {D} features; the "
        f"cross-attention has {heads} heads. What are the shapes of its weights and of its output, "
        "without the batch axis? Is its mask causal?",
        answer=f"{table_} and {tuple(found.shape[1:])}; no",
        wrong=[
            f"{(heads, source, target)} and {tuple(found.shape[1:])}; no",
            f"{table_} and {tuple(found.shape[1:])}; yes",
            f"{table_} and {tuple(memory.shape[1:])}; no",
        ],
        steps=(
            (f"Queries come from the decoder, keys from the encoder: {table_}.", 1),
            (f"There is an output for each query: {tuple(found.shape[1:])}.", 1),
            ("The whole source is known from the start, so nothing in it has to be hidden.", 1),
        ),
    )


@question("curve", "original-recipe", 4)
def schedule_of_2017(rng: Random) -> Drawn:
    warm = rng.choice([4, 5])
    inverse = [one**-0.5 for one in range(1, 21)]
    rise = [one * warm**-1.5 for one in range(1, 2 * warm + 1)]
    both = [min(a, one * warm**-1.5) for one, a in enumerate(inverse, 1)]
    named = dict(zip(rng.sample("ABC", 3), (inverse, rise, both), strict=True))
    right = next(name for name, line in named.items() if line is both)
    peak = 1 + both.index(max(both))
    return Drawn(
        text="Learning rates against the step $k$: $k^{-1/2}$, $k\\, w^{-3/2}$ and the smaller of "
        "the two, as in the recipe of 2017, for one $w$. Which curve is the recipe, and what is $w$?",
        figure=curves(
            {name: named[name] for name in sorted(named)},
            x="step",
            y="rate",
            start=1,
            alt="One curve falls, one line rises, one follows the line up to their crossing and then falls.",
        ),
        answer=f"{right}, $w = {peak}$",
        steps=(
            ("The smaller of the two follows the line first, then the falling curve.", 1),
            (f"They cross where $k^{{-1/2}} = k\\, w^{{-3/2}}$, at $k = w = {peak}$.", 2),
        ),
    )


@question("short", "since-2017", 4)
def swiglu_width(rng: Random) -> Drawn:
    D, times = rng.choice(range(30, 121, 15)), rng.choice([2, 4])
    hidden = 2 * times * D // 3
    plain = _count(transformer.FeedForward(D, times * D, bias=False))
    return Drawn(
        text=f"A feed-forward network has $D = {D}$ and {times * D} hidden units. SwiGLU, with three "
        "matrices, is to have the same number of weights. How wide does its hidden layer become? "
        "Biases do not count.",
        answer=f"{hidden}",
        wrong=[f"{times * D}", f"{times * D // 3}", f"{times * D // 2}"],
        steps=(
            (f"Two matrices: $2 \\cdot {D} \\cdot {times * D} = {plain}$ weights.", 1),
            (
                f"Three matrices: $3 \\cdot {D} \\cdot h = {plain}$, so $h = {hidden}$, two thirds.",
                1,
            ),
        ),
    )


@question("prints", "induction", 5, public=True)
def induction(rng: Random) -> Drawn:
    period = rng.sample("abcdefgh", rng.choice([4, 5]))
    cut = rng.randint(1, len(period) - 1)
    text = "".join(period + period[:cut])
    back = len(period) - 1
    weights = torch.zeros(len(text), len(text))
    for at in range(back, len(text)):
        weights[at, at - back] = 1
    if not transformer.attention_back(weights, back).item() == 1:
        raise AssertionError("an induction head looks one period less one back")
    return prints(
        f"""text = "{text}"
last = text[-1]
at = text.index(last)
print(text[at + 1], len(text) - 1 - (at + 1))""",
        ("The program does what an induction head does: it finds the current symbol earlier in the "
         "text, and looks at the one that came next.", 1),
        (f"`{text[-1]}` stood at {text.index(text[-1])}, and `{text[text.index(text[-1]) + 1]}` came next.", 1),
        (f"That is {back} places back: the period of {len(period)}, less one.", 2),
    )  # fmt: skip
