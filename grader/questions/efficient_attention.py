"""Questions on efficient attention."""

from __future__ import annotations

import math
from random import Random

import torch

from grader.questions import Drawn, question
from grader.questions.curves import curves
from grader.questions.kinds import prints, tensor, which_mistake
from grader.questions.shown import logarithms, num, table
from solutions import efficient_attention as efficient


@question("short", "the-table", 4, public=True)
def share_of_the_table(rng: Random) -> Drawn:
    D, times = rng.choice([100, 500, 1000]), rng.choice([1, 2, 6])
    T = D * times
    layer, block = T / (T + 2 * D), T / (T + 6 * D)
    return Drawn(
        text=f"In a Transformer block, attention scores and weighted sums take $2 T^2 D$ multiply-adds, the projections of the attention layer $4 T D^2$, and a feed-forward "
        f"network that is four times as wide $8 T D^2$. With $D = {D}$ and $T = {T}$, which share of the attention layer's multiply-adds do scores and sums take, "
        "and which share of the block's?",
        answer=f"{num(layer)} and {num(block)}",
        steps=(
            (f"Attention layer: $2 T^2 D / (2 T^2 D + 4 T D^2) = T / (T + 2 D) = {num(layer)}$", 2),
            (f"Block: $T / (T + 6 D) = {num(block)}$", 1),
        ),
    )


@question("short", "cache", 4, public=True)
def cache_size(rng: Random) -> Drawn:
    layers, heads, shared, d = (
        rng.choice([2, 4]),
        rng.choice([8, 16]),
        rng.choice([2, 4]),
        rng.choice([50, 100]),
    )
    T = rng.choice([100, 1000])
    found = efficient.cache_numbers(T, layers=layers, key_heads=heads // shared, d_k=d, d_v=d)
    return Drawn(
        text=f"A decoder has {layers} layers with {heads} query heads of size {d}; {shared} query heads share a key-value head. "
        f"How many numbers does its KV cache hold after {T} tokens? Why does it not hold queries?",
        answer=f"{found:,}; a query is used once",
        wrong=[
            f"{found // 2:,}; a query is used once",
            f"{found * shared:,}; a query is used once",
            f"{found:,}; queries depend on later tokens",
        ],
        steps=(
            (
                f"${T} \\cdot {layers} \\cdot {heads // shared} \\cdot (\\,{d} + {d}) = {found:,}$",
                2,
            ),
            ("Later tokens need the keys and values of a position, but never its query.", 1),
        ),
    )


@question("prints", "cache", 4)
def positions_read(rng: Random) -> Drawn:
    prompt, new = rng.choice([4, 5, 10]), rng.choice([3, 4, 5])
    return prints(
        f"""prompt, new = {prompt}, {new}
with_cache = prompt + (new - 1)
without = sum(prompt + n for n in range(new))
print(with_cache, without)""",
        (
            f"With a KV cache each position is read once, and the last new token is not read at all: {prompt + new - 1}.",
            2,
        ),
        (f"Without one, each of {new} passes reads the whole text so far.", 1),
        (
            "Both write the same tokens, because attention is causal: later tokens change no earlier key or value.",
            1,
        ),
    )


@question("mistake", "cache", 4, public=True)
def band_mistake(rng: Random) -> Drawn:
    keys = rng.choice([4, 5])
    return which_mistake(
        rng,
        "efficient_attention.band_mask",
        {"queries": 2, "keys": keys},
        ["queries_from_the_start", "not_itself", "true_is_blocked"],
        text=f"A student's `band_mask` was called for the last 2 of {keys} positions, as with a KV cache, and without a window. Rows are queries; 1 "
        "stands for True, which may attend.",
    )


@question("short", "running-softmax", 6, public=True)
def absorbed(rng: Random) -> Drawn:
    first, second = rng.choice([1, 2]), rng.choice([3, 4, 6])
    v = [rng.choice([2, 4, 10]), rng.choice([0, 6, 20])]
    one = torch.zeros(1).double()
    state = (one - math.inf, one, torch.zeros(1, 1).double())
    for part, value in ((first, v[0]), (second, v[1])):
        state = efficient.absorb(*state, logarithms([[part]]), tensor([[float(value)]]))
    top, total, output = (float(part) for part in state)
    return Drawn(
        text=f"An online softmax has seen one key with the score $\\ln {first}$ and the value {v[0]}: $\\hat z = \\ln {first}$, $\\ell = "
        f"1$, $\\tilde v = {v[0]}$. The next key has the score $\\ln {second}$ and the value {v[1]}. Compute the new "
        "$\\hat z$, $\\ell$ and $\\tilde v$, and the output.",
        answer=f"$\\ln {round(math.exp(top))}$, {num(total)}, {num(output)}; {num(output / total)}",
        steps=(
            (
                f"The maximum grows to $\\ln {second}$, so the old sums are multiplied by {first}/{second}.",
                2,
            ),
            (
                f"$\\ell = {first}/{second} + 1 = {num(total)}$, $\\tilde v = {first}/{second} \\cdot {v[0]} + {v[1]} = {num(output)}$",
                2,
            ),
            (
                f"The output is $\\tilde v / \\ell = {num(output / total)}$, the mean with weights {first} and {second}.",
                1,
            ),
        ),
    )


@question("mistake", "running-softmax", 6)
def absorb_mistake(rng: Random) -> Drawn:
    first, second = rng.choice([(1, 2), (1, 4), (2, 5)])
    v = [float(rng.choice([4, 8])), float(rng.choice([2, 10]))]
    return which_mistake(
        rng,
        "efficient_attention.absorb",
        {
            "maximum": logarithms([first]), "total": tensor([1.0]), "output": tensor([[v[0]]]),
            "scores": logarithms([[second]]), "value": [[v[1]]],
        },
        ["total_not_rescaled", "output_not_rescaled", "scaled_the_other_way"],
        text=f"A student's `absorb` got the state $\\hat z = \\ln {first}$, $\\ell = 1$, $\\tilde v = {num(v[0])}$ and a key with the "
        f"score $\\ln {second}$ and the value {num(v[1])}.",
        shown="The new $\\ell$ and $\\tilde v$ are",
        view=lambda found: torch.stack([found[1][0], found[2][0, 0]]),
    )  # fmt: skip


@question("short", "tiles", 3)
def memory_of_tiles(rng: Random) -> Drawn:
    T, block, times = rng.choice([1024, 2048]), rng.choice([32, 64]), 4
    return Drawn(
        text=f"Attention over {T} positions is computed in tiles of {block} × {block}. How many scores of one head are in memory at a "
        f"time, with tiles and with the full table? By which factor does each number grow if the text is {times} times as long? "
        "Does tiling save multiply-adds?",
        answer=f"{block**2:,} and {T**2:,}; by 1 and by {times**2}; no",
        wrong=[
            f"{block**2:,} and {T**2:,}; by {times} and by {times**2}; yes",
            f"{block:,} and {T:,}; by 1 and by {times}; no",
            f"{block**2:,} and {T**2:,}; by 1 and by {times}; no",
        ],
        steps=(
            (f"A tile has ${block}^2$ scores, the table ${T}^2$.", 1),
            (f"The tile keeps its size; the table grows by a factor of ${times}^2$.", 1),
            ("All scores are still computed, exactly.", 1),
        ),
    )


@question("derive", "tiled-backward", 5)
def row_sum(rng: Random) -> Drawn:
    p = rng.choice([[0.5, 0.5], [0.25, 0.75], [0.2, 0.8]])
    v, g = [rng.choice([2, 4]), rng.choice([0, 8])], rng.choice([1, 2, -1])
    output = sum(a * b for a, b in zip(p, v, strict=True))
    return Drawn(
        text="The backward pass needs $r_i = \\sum_j P_{ij} (G V^\\top)_{ij}$ for each query. Show that it equals $G_i \\cdot O_i$, so that "
        f"no tile has to wait for the others. Evaluate both sides for one query with $P = {table(p)}$, the values {v[0]} and {v[1]}, and "
        f"$G = {g}$.",
        answer=f"{num(g * output)} both times".replace("-", "−"),
        steps=(
            (
                "$\\sum_j P_{ij}\\, G_i \\cdot v_j = G_i \\cdot \\sum_j P_{ij} v_j = G_i \\cdot O_i$",
                3,
            ),
            (f"$O = {num(output)}$, and $G O = {num(g * output)}$", 1),
        ),
    )


@question("short", "window", 4, public=True)
def reach_of_windows(rng: Random) -> Drawn:
    layers, window = rng.choice([2, 3, 4, 6]), rng.choice([4, 8, 16])
    reach = layers * (window - 1) + 1
    seen = int(efficient.band_mask(1, 100, window=window).sum())
    return Drawn(
        text=f"Each of {layers} layers lets a position attend to the last {window} positions, itself included. How many of the last "
        f"inputs can influence an output of the last layer? About how many scores does a layer need for {100 * window} positions? "
        "How many are saved if it computes the full table and masks it?",
        answer=f"{reach}; $T w = {100 * window * seen:,}$; none",
        wrong=[
            f"{layers * window}; $T w = {100 * window * seen:,}$; none",
            f"{window}; $T w = {100 * window * seen:,}$; none",
            f"{reach}; $T^2 = {(100 * window) ** 2:,}$; none",
        ],
        steps=(
            (
                f"A layer reaches {window - 1} positions back: ${layers} \\cdot {window - 1} + 1 = {reach}$.",
                2,
            ),
            (
                f"$T w = {100 * window} \\cdot {window}$, if the others are never computed. Masking comes after computing.",
                1,
            ),
        ),
    )


@question("short", "linear-attention", 5)
def order_of_products(rng: Random) -> Drawn:
    T, d = rng.choice([1000, 10_000]), rng.choice([10, 50, 100])
    return Drawn(
        text=f"Without a softmax, attention is $(Q K^\\top) V$ with $T = {T}$ positions and $d_k = d_v = {d}$. How many multiply-adds does "
        "it take in this order, and how many as $Q (K^\\top V)$? Why can the brackets not be moved if there is a softmax?",
        answer=f"$2 T^2 d = {2 * T * T * d:,}$ and $2 T d^2 = {2 * T * d * d:,}$; $e^{{q \\cdot k}}$ is no product of a function of q and a function of k",
        steps=(
            (f"$T^2 d$ for the scores, and $T^2 d$ for the weighted sums: {2 * T * T * d:,}", 1),
            (f"$T d^2$ for $K^\\top V$, and $T d^2$ for the rest: {2 * T * d * d:,}", 2),
            (
                "The exponential stands between the two products, and mixes each query with each key.",
                1,
            ),
        ),
    )


@question("mistake", "as-a-recurrence", 5)
def step_mistake(rng: Random) -> Drawn:
    k, v = float(rng.choice([1, 2])), float(rng.choice([4, 6, 10]))
    return which_mistake(
        rng,
        "efficient_attention.linear_attention_step",
        {"state": [[3.0]], "total": [1.0], "query": [0.0], "key": [k], "value": [v]},
        ["asked_before_written", "not_divided", "total_of_this_position_alone", "raw_keys_written"],
        text=f"A student's `linear_attention_step` got the state $A = 3$, $a = 1$, and a position with $q = 0$, $k = {num(k)}$ and "
        f"$v = {num(v)}$, where $d_k = d_v = 1$ and $\\phi(x) = x + 1$ for $x \\ge 0$.",
        shown="Its output is",
        part=0,
    )


@question("derive", "scan", 6, public=True)
def two_steps_as_one(rng: Random) -> Drawn:
    f, x, h = (
        [rng.choice([0.5, 2, 3]) for _ in range(2)],
        [rng.choice([1, 4, -2]) for _ in range(2)],
        rng.choice([2, 4]),
    )
    both = efficient.combine(
        *([tensor([float(a)]), tensor([float(b)])] for a, b in zip(f, x, strict=True))
    )
    end = (both[0] * h + both[1]).item()
    T = rng.choice([8, 64, 1024])
    return Drawn(
        text=f"A recurrence is $h_t = f_t h_{{t-1}} + x_t$. Show that two steps are one step of the same kind, and compute this step for "
        f"$f = {table(f)}$ and $x = {table(x)}$. What is $h_2$ for $h_0 = {h}$? How many rounds does a tree of such "
        f"combinations need over {T} steps?",
        answer=f"$h \\mapsto {num(both[0].item())}\\, h + ({num(both[1].item())})$; $h_2 = {num(end)}$; $\\log_2 {T} = {int(math.log2(T))}$",
        steps=(
            ("$f_2 (f_1 h + x_1) + x_2 = (f_1 f_2)\\, h + (f_2 x_1 + x_2)$", 2),
            (f"$f = {num(both[0].item())}$, $x = {num(both[1].item())}$, $h_2 = {num(end)}$", 2),
            (
                f"Each round halves the number of steps that are left to combine: {int(math.log2(T))} rounds.",
                1,
            ),
        ),
    )


@question("curve", "as-a-convolution", 4)
def kernels(rng: Random) -> Drawn:
    rates, step = (0.2, 1.0), 0.5
    wave = rng.choice([2.0, 3.0])
    made = [
        efficient.ssm_kernel(
            tensor([[r]]), tensor([[w]]), tensor([step]), tensor([[[1.0, 0.0]]]), length=16
        )[0].tolist()
        for r, w in ((rates[0], 0.0), (rates[1], 0.0), (rates[0], wave))
    ]
    said = [
        "slow decay without rotation",
        "fast decay without rotation",
        "slow decay with rotation",
    ]
    letters = rng.sample("ABC", 3)
    named = dict(zip(letters, range(3), strict=True))
    wanted = rng.randrange(3)
    right = next(letter for letter, k in named.items() if k == wanted)
    return Drawn(
        text="The figure shows the kernels $k_t = \\operatorname{Re}\\, w f^t g$ of three state-space models with one state each: "
        f"slow decay without rotation, fast decay without rotation, slow decay with rotation. Which one has {said[wanted]}?",
        figure=curves(
            {one: made[named[one]] for one in sorted(named)}, x="distance t", y="kernel",
            alt="Two kernels fall smoothly, one faster; the third oscillates around zero.",
        ),
        answer=right,
        wrong=[one for one in letters if one != right],
        steps=(
            ("The decay rate decides how fast the kernel fades, the frequency how fast it oscillates.", 1),
            (f"So {said[wanted]} is {right}.", 1),
        ),
    )  # fmt: skip
