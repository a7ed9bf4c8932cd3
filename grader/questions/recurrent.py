"""Questions on recurrent networks."""

from __future__ import annotations

import math
from random import Random

import torch

from grader.questions import Drawn, question
from grader.questions.curves import curves
from grader.questions.kinds import prints, tensor, which_mistake
from grader.questions.shown import num, table
from solutions import recurrent


@question("short", "elman", 3, public=True)
def parameters_of_elman(rng: Random) -> Drawn:
    D, H = rng.choice([10, 20, 30]), rng.choice([50, 100])
    weights, length = H * D + H * H, rng.choice([20, 100])
    return Drawn(
        text=f"The hidden state of an Elman network is $h_t = \\tanh(W_{{xh}} x_t + W_{{hh}} h_{{t-1}} + b_h)$ with "
        f"{D} inputs and {H} hidden units. How many parameters does this step have, and how many are used for "
        f"a sequence of {length} steps?",
        answer=f"{weights + H} and {weights + H}",
        wrong=[
            f"{weights + H} and {(weights + H) * length}",
            f"{weights} and {weights}",
            f"{H * D + H} and {(H * D + H) * length}",
        ],
        steps=(
            (f"${H} \\cdot {D} + {H} \\cdot {H} + {H} = {weights + H}$", 1),
            ("Every step uses the same weights, however long the sequence is.", 1),
        ),
    )


@question("derive", "through-time", 7, public=True)
def through_time(rng: Random) -> Drawn:
    w, h0, steps = rng.choice([2, 3]), rng.choice([1, 2]), rng.choice([2, 3])
    value = tensor([float(w)]).requires_grad_()
    h = tensor([float(h0)])
    for _ in range(steps):
        h = value * h
    slope = torch.autograd.grad(h, value)[0].item()
    return Drawn(
        text=f"A linear recurrence is $h_t = w h_{{t-1}}$ with $h_0 = {h0}$, and the loss is $L = h_{steps}$. "
        "Derive $\\partial L/\\partial w$ as a sum over time steps, and evaluate it for "
        f"$w = {w}$.",
        answer=f"$\\sum_t w^{{{steps} - t}} h_{{t-1}} = {num(slope)}$",
        steps=(
            ("The weight is used at every step: each use contributes.", 1),
            (f"Step $t$ contributes $h_{{t-1}}$ times the factor $w^{{{steps} - t}}$ of the later steps.", 2),
            (f"Here all contributions are equal, $w^{{{steps - 1}}} h_0$, so the sum is ${steps} \\cdot {w}^{{{steps - 1}}} "
             f"\\cdot {h0} = {num(slope)}$.", 2),
        ),
    )  # fmt: skip


@question("prints", "truncated", 5)
def truncated(rng: Random) -> Drawn:
    w, h0 = rng.choice([2.0, 3.0]), rng.choice([1.0, 2.0, 4.0])
    return prints(
        f"""import torch

w = torch.tensor({w}, requires_grad=True)
h = torch.tensor({h0})
for t in range(3):
    if t == 2:
        h = h.detach()
    h = w * h
h.backward()
print(h.item(), w.grad.item())""",
        (f"Forward nothing changes: ${num(w)}^3 \\cdot {num(h0)} = {num(w**3 * h0)}$.", 2),
        (
            f"The gradient sees the last step alone, with $h_2 = {num(w * w * h0)}$ as a constant.",
            2,
        ),
    )


@question("short", "forgetting", 4, public=True)
def vanishing(rng: Random) -> Drawn:
    factor, length = rng.choice([(0.5, 10), (0.1, 4), (0.5, 20), (0.1, 6), (2.0, 10)])
    size = factor**length
    word = "vanishes" if size < 1 else "explodes"
    return Drawn(
        text=f"In an Elman network each step backward multiplies a gradient by about {factor}. By what is the "
        f"gradient multiplied over {length} steps? What follows for learning from distant inputs, and which of "
        "clipping and gates helps?",
        answer=f"${factor}^{{{length}}} = {size:.2g}$: it {word}; "
        + ("gates help, clipping does not" if size < 1 else "clipping helps"),
        steps=(
            (f"${factor}^{{{length}}} = {size:.2g}$", 1),
            ("Distant inputs have almost no influence on the gradient."
             if size < 1
             else "Steps become too long, and training diverges.", 1),
            ("Clipping shortens long gradients; a gate that stays open keeps the factor near 1.", 1),
        ),
    )  # fmt: skip


@question("curve", "forgetting", 3, public=True)
def gradients_by_distance(rng: Random) -> Drawn:
    factors = rng.choice([(0.6, 0.8, 1.1), (0.5, 0.9, 1.2), (0.7, 0.9, 1.05)])
    lines = {one: [one**n for n in range(16)] for one in factors}
    letters = rng.sample("ABC", 3)
    named = dict(zip(letters, factors, strict=True))
    at = rng.choice(factors)
    right = next(letter for letter, one in named.items() if one == at)
    return Drawn(
        text="The figure shows the gradient of the last state with respect to states further and further back, for "
        f"three networks whose recurrent matrices are multiples of an orthogonal matrix: {factors[0]}, "
        f"{factors[1]} and {factors[2]} times. The activation is the identity. Which curve belongs to {at}?",
        figure=curves(
            {one: lines[named[one]] for one in sorted(named)}, x="steps back", y="gradient", log=True,
            alt="Three straight lines on a logarithmic axis: one rises, two fall, one of them faster.",
        ),
        answer=right,
        wrong=[one for one in letters if one != right],
        steps=(
            ("Each step back multiplies by the factor, a straight line on a logarithmic axis.", 1),
            (f"Above 1 it rises; the smaller the factor, the faster it falls. {at} is {right}.", 1),
        ),
    )  # fmt: skip


@question("short", "lstm", 5, public=True)
def lstm_step(rng: Random) -> Drawn:
    keep, let_in = rng.choice([0.0, 0.5, 1.0]), rng.choice([0.5, 1.0])
    c, g = rng.choice([-2, 2, 4]), rng.choice([-0.5, 0.5])
    after = keep * c + let_in * g
    big = 40.0
    gate = {0.0: -big, 0.5: 0.0, 1.0: big}
    projected = tensor([[gate[let_in], gate[keep], math.atanh(g), big]])
    _, cell = recurrent.lstm_cell(
        projected, tensor([[0.0]]), tensor([[float(c)]]), torch.zeros(4, 1).double(), None
    )
    if not math.isclose(cell.item(), after, abs_tol=1e-6):
        raise AssertionError("the cell does not do what the question says")
    return Drawn(
        text=f"One unit of an LSTM has the cell state $c = {c}$. At this step the forget gate is {num(keep)}, the "
        f"input gate {num(let_in)}, the candidate ${g}$ and the output gate 1. Compute the new cell state, and write "
        "the new hidden state. Which gate setting keeps $c$ unchanged over many steps?",
        answer=f"$c' = {num(cell.item())}$, $h' = \\tanh({num(cell.item())})$; forget gate 1, input gate 0",
        steps=(
            (
                f"$c' = f c + i g = {num(keep)} \\cdot {c} + {num(let_in)} \\cdot ({g}) = {num(cell.item())}$",
                2,
            ),
            ("$h' = o \\tanh(c')$ with $o = 1$", 1),
            ("$f = 1$ and $i = 0$ give $c' = c$.", 1),
        ),
    )


@question("mistake", "lstm", 6)
def lstm_mistake(rng: Random) -> Drawn:
    c, big = float(rng.choice([2, 3, -2])), 40.0
    return which_mistake(
        rng,
        "recurrent.lstm_cell",
        {
            "projected": [[0.0, big, big, big]], "h": [[0.0]], "c": [[c]],
            "weight_hh": [[0.0]] * 4, "bias_hh": None,
        },
        ["forget_and_input_swapped", "no_tanh_on_the_way_out", "old_cell_state_let_out"],
        text=f"A student's `lstm_cell` was called for one unit with $c = {num(c)}$; the input gate is 0.5, the "
        "forget gate 1, the candidate 1 and the output gate 1. Look at the new hidden state. ($\\tanh 2 = 0.964$, "
        "$\\tanh 2.5 = 0.987$, $\\tanh 3 = 0.995$, $\\tanh 1.5 = 0.905$; tanh is odd)",
        part=0,
    )  # fmt: skip


@question("short", "gru", 4)
def gru_step(rng: Random) -> Drawn:
    h, n, odds = rng.choice([2, 4, -2]), rng.choice([-0.5, 0.5, 0.0]), rng.choice([1, 3, 4])
    z = 1 / (odds + 1)
    projected = tensor([[0.0, -math.log(odds), math.atanh(n)]])
    found = recurrent.gru_cell(
        projected, tensor([[float(h)]]), torch.zeros(3, 1).double(), None
    ).item()
    return Drawn(
        text=f"One unit of a GRU has $h = {h}$, the update gate $z = {num(z)}$ and the candidate $n = {n}$. Compute the "
        "new state with $h' = (1 - z)\\, n + z\\, h$. Which value of $z$ remembers $h$?",
        answer=f"{num(found)}; $z = 1$".replace("-", "−"),
        steps=(
            (f"$(1 - {num(z)}) \\cdot ({n}) + {num(z)} \\cdot ({h}) = {num(found)}$", 2),
            ("With $z = 1$ the new state is the old one.", 1),
        ),
    )


@question("short", "padding", 3)
def last_states(rng: Random) -> Drawn:
    lengths = rng.sample([2, 3, 4, 5], 2)
    longest = max(lengths) + 1
    output = torch.arange(2 * longest).reshape(2, longest, 1).double()
    picked = recurrent.last_states(output, torch.tensor(lengths))[:, 0].int().tolist()
    places = [one % longest for one in picked]
    return Drawn(
        text=f"Two sequences of {lengths[0]} and {lengths[1]} steps are padded to {longest}. From which positions does "
        "an encoder take its last states, forward and backward?",
        answer=f"forward from {places[0]} and {places[1]}, backward from 0 and 0",
        wrong=[
            f"forward from {longest - 1} and {longest - 1}, backward from 0 and 0",
            f"forward from {lengths[0]} and {lengths[1]}, backward from 0 and 0",
            f"forward from {places[0]} and {places[1]}, backward from {places[0]} and {places[1]}",
        ],
        steps=(
            (
                "Forward, a sequence has been read at its last real position, not at the end of the padding.",
                1,
            ),
            ("Backward, it has been read at its first position.", 1),
        ),
    )


@question("short", "bits", 4, public=True)
def bits(rng: Random) -> Drawn:
    powers = [rng.choice([1, 2, 3, 4]) for _ in range(3)]
    p = [2.0**-one for one in powers]
    logits = tensor([[one, 1 - one] for one in p]).log()
    found = recurrent.bits_per_character(logits, torch.zeros(3, dtype=torch.int64)).item()
    said = ", ".join(f"1/{2**one}" for one in powers)
    return Drawn(
        text=f"A model gives the three characters of a text the probabilities {said}. How many bits per character "
        "does it need? How many does a uniform model of 32 characters need?",
        answer=f"{num(found)} bits; 5 bits",
        steps=(
            (f"$-\\log_2 p$ is {', '.join(map(str, powers))}.", 1),
            (f"The mean is {num(found)}.", 1),
            ("$\\log_2 32 = 5$", 1),
        ),
    )


@question("mistake", "bits", 4)
def bits_mistake(rng: Random) -> Drawn:
    powers = rng.sample([1, 2, 3, 4], 2)
    p = [2.0**-one for one in powers]
    return which_mistake(
        rng,
        "recurrent.bits_per_character",
        {"logits": tensor([[one, 1 - one] for one in p]).log(), "target": [0, 0]},
        ["nats", "summed", "sign", "mean_probability"],
        text=f"A student's `bits_per_character` was called for two characters, to which the model gave the "
        f"probabilities 1/{2 ** powers[0]} and 1/{2 ** powers[1]}. ($\\ln 2 = 0.693$)",
    )


@question("short", "sampling-text", 3)
def drawn_symbol(rng: Random) -> Drawn:
    p = rng.choice([[0.5, 0.3, 0.2], [0.1, 0.6, 0.3], [0.25, 0.25, 0.5]])
    u = rng.choice([0.05, 0.4, 0.65, 0.95])
    found = recurrent.draw_next(tensor([p]).log(), tensor([u])).item()
    cold = recurrent.draw_next(tensor([p]).log(), tensor([u]), temperature=0.0).item()
    return Drawn(
        text=f"Three symbols have the probabilities ${table(p)}$, and the random number is {u}. Which symbol is drawn, "
        "and which is taken at temperature 0?",
        answer=f"{found} and {cold}",
        steps=(
            (f"The pieces of the unit interval end at {', '.join(num(sum(p[: n + 1])) for n in range(3))}: "
             f"symbol {found}.", 1),
            (f"At temperature 0 the likeliest wins: symbol {cold}.", 1),
        ),
    )  # fmt: skip
