"""Questions on quantization, distillation and pruning."""

from __future__ import annotations

import math
from random import Random

import torch

from grader.questions import Drawn, apart, question
from grader.questions.curves import curves
from grader.questions.kinds import prints, tensor, which_mistake
from grader.questions.shown import num
from solutions import model_compression


@question("short", "quantization", 4, public=True)
def codes_of_weights(rng: Random) -> Drawn:
    step = rng.choice([0.5, 0.25, 2.0])
    parts = rng.sample([-5.2, -2.7, -0.8, 1.3, 3.6, 5.9], 2)
    weights = [round(step * part, 3) for part in [*parts, rng.choice([-7, 7])]]
    x = tensor(weights)
    scale = model_compression.absmax_scale(x, 4)
    codes = model_compression.quantize(x, scale, 4)
    shown = ", ".join(map(num, x))
    found = ", ".join(str(code) for code in codes.tolist())
    return Drawn(
        text=f"The weights {shown} are quantized to 4 bits with symmetric codes and the absmax scale. What are the scale and the codes?",
        answer=f"{num(scale)}; {found}",
        steps=(
            (f"$L = 2^3 - 1 = 7$, so the scale is ${num(x.abs().max())} / 7 = {num(scale)}$.", 2),
            (f"Dividing by it and rounding gives {found}.", 2),
        ),
    )  # fmt: skip


@question("mistake", "quantization", 4, public=True)
def scale_mistake(rng: Random) -> Drawn:
    low, high = rng.choice([(-3.0, 2.0), (-5.0, 1.5), (-4.0, 3.0)])
    return which_mistake(
        rng,
        "model_compression.absmax_scale",
        {"x": [low, 0.5, high], "bits": rng.choice([3, 4])},
        ["sign_forgotten", "two_to_the_bits", "one_code_too_many", "scale_upside_down"],
        text=f"A student computed the absmax scale of the weights {num(low)}, 0.5 and {num(high)}.",
    )


@question("derive", "quantization", 5)
def decibels_of_a_bit(rng: Random) -> Drawn:
    bits = rng.choice([2, 3, 4, 5])
    gain = 20 * bits * math.log10(2)
    return Drawn(
        text=f"Rounding errors are uniform within half a step of size $s$ on both sides. Derive their mean square. By how many decibels does the signal-to-noise ratio grow, about, if codes have {bits} more bits?",
        answer=f"$s^2 / 12$; about {num(tensor([gain])[0])} dB",
        steps=(
            ("$\\frac{1}{s} \\int_{-s/2}^{s/2} e^2\\, de = s^2 / 12$", 2),
            (f"{bits} more bits divide the step by about $2^{bits}$, and the mean square by $4^{bits}$.", 2),
            (f"$10 \\log_{{10}} 4^{bits} = {num(tensor([gain])[0])}$ dB", 1),
        ),
    )  # fmt: skip


@question("short", "scales", 4, public=True)
def outlier_in_a_matrix(rng: Random) -> Drawn:
    large, usual = rng.choice([(7.0, 0.4), (14.0, 0.9), (21.0, 1.2)])
    scale = model_compression.absmax_scale(tensor([large, usual]), 4)
    code = model_compression.quantize(tensor([usual]), scale, 4)
    assert code.item() == 0
    return Drawn(
        text=f"A weight matrix is quantized to 4 bits with one absmax scale. One weight is {num(tensor([large])[0])}, and all others have magnitudes of at most {usual}. What happens to the others? Name a remedy that changes no weight before rounding.",
        answer="all of them become 0; one scale per row or per group",
        wrong=[
            "each loses at most a sixteenth of its value; nothing needs to be done",
            "they are clamped to the largest code; a larger scale",
            "nothing, because rounding is relative; more bits",
        ],
        steps=(
            (f"The step is ${num(tensor([large])[0])} / 7 = {num(scale)}$, and {usual} is less than half of it, so its code is 0.", 2),
            ("With a scale per row or group, the outlier decides only about the precision of its own row or group.", 2),
        ),
    )  # fmt: skip


@question("short", "scales", 3)
def bits_with_scales(rng: Random) -> Drawn:
    bits, group = rng.choice([3, 4]), rng.choice([16, 32, 64])
    total = bits + 16 / group
    return Drawn(
        text=f"Weights of {bits} bits share a 16-bit scale in groups of {group}. How many bits does a weight take on average?",
        answer=num(tensor([total])[0]),
        steps=((f"${bits} + 16 / {group} = {num(tensor([total])[0])}$", 2),),
    )


@question("mistake", "asymmetric", 4)
def range_mistake(rng: Random) -> Drawn:
    low, high = rng.choice([(-1.3, 4.7), (-2.1, 3.9), (-0.8, 5.2)])
    return which_mistake(
        rng,
        "model_compression.affine_range",
        {"x": [low, 0.5, high], "bits": 4},
        ["as_many_steps_as_codes", "symmetric_range"],
        text=f"A student computed scale and zero point of 4-bit codes from 0 to 15 for numbers from {low} to {high}.",
        part=0,
        shown="The scale returned is",
    )


@question("prints", "packing", 3, public=True)
def nibbles(rng: Random) -> Drawn:
    low, high = rng.choice([-1, -3, -5]), rng.choice([2, 4, 6])
    return prints(
        f"""low, high = {low}, {high}
print(low & 15)
print((low & 15) | (high << 4))""",
        (f"The low four bits of {low} in two's complement are those of {low + 16}.", 1),
        ("The second code moves up by four bits, which multiplies it by 16; then both are joined.", 1),
    )  # fmt: skip


@question("short", "second-order", 5, public=True)
def compensation(rng: Random) -> Drawn:
    first = rng.choice([0.3, 0.4, -0.3, -0.4])
    second = rng.choice([1.0, 2.0])
    moved = first + second
    return Drawn(
        text=f"A unit has two inputs that are always equal, and the weights {first} and {num(tensor([second])[0])}. The first weight is rounded to 0. To what does GPTQ, with hardly any damping, change the second weight before it is rounded? Which outputs change?",
        answer=f"to {num(tensor([moved])[0])}; none, before the second weight is rounded",
        wrong=[
            f"it stays {num(tensor([second])[0])}; all outputs change",
            f"to {num(tensor([second - first])[0])}; none",
            "to 0; all outputs change",
        ],
        steps=(
            (f"Only the sum of both weights matters, {num(tensor([moved])[0])}.", 2),
            (f"The error {first} of the first weight moves to the second one, so every output stays as it was.", 2),
        ),
    )  # fmt: skip


@question("short", "straight-through", 3)
def gradient_through_rounding(rng: Random) -> Drawn:
    slope = rng.choice([2.0, -3.0, 0.5, 4.0, -1.5])
    x = torch.tensor([0.8, 2.6], dtype=torch.float64, requires_grad=True)
    found = model_compression.straight_through(x, tensor([0.5])[0], 3)
    (slopes,) = torch.autograd.grad(slope * found.sum(), x)
    inside, outside = (num(one) for one in slopes)
    return Drawn(
        text=f"The weights 0.8 and 2.6 are rounded to 3 bits with the scale 0.5, and the gradient of the loss with respect to each rounded weight is {num(tensor([slope])[0])}. Which gradients does the straight-through estimator give the weights?",
        answer=f"{inside} and {outside}",
        steps=(
            ("The codes end at $L = 3$, so the range ends at 1.5.", 1),
            (f"0.8 is inside and gets {inside}; 2.6 is beyond the range and gets {outside}.", 2),
        ),
    )


@question("short", "distillation", 4, public=True)
def softened(rng: Random) -> Drawn:
    gap, temperature = rng.choice([(4, 2), (6, 2), (6, 3), (8, 4)])
    sharp = torch.sigmoid(tensor([float(gap)]))[0]
    soft = torch.sigmoid(tensor([gap / temperature]))[0]
    apart(num(sharp), num(soft))
    return Drawn(
        text=f"A teacher's two logits are {gap} and 0. Which probability does the first class have at temperature 1, and at temperature {temperature}? What can a student learn from the second that the first hardly tells?",
        answer=f"{num(sharp)} and {num(soft)}; how plausible the other class is",
        steps=(
            (f"$1 / (1 + e^{{-{gap}}}) = {num(sharp)}$", 1),
            (f"$1 / (1 + e^{{-{num(tensor([gap / temperature])[0])}}}) = {num(soft)}$", 1),
            ("Small probabilities become large enough to have a gradient.", 1),
        ),
    )


@question("curve", "pruning", 3)
def pruned_curves(rng: Random) -> Drawn:
    steep = rng.choice([3, 4, 5])
    smallest = [1 + 2 * (share / 10) ** (2 * steep) for share in range(1, 10)]
    anywhere = [1 + 2 * (1 - (1 - share / 10) ** steep) for share in range(1, 10)]
    named = dict(zip(rng.sample("AB", 2), (smallest, anywhere), strict=True))
    right = next(letter for letter, one in named.items() if one is smallest)
    return Drawn(
        text="A network loses a growing share of its weights: once those of smallest magnitude, once as many at random. Neither is trained again. Which curve is which, and why is the second one needed?",
        figure=curves(
            {one: named[one] for one in sorted(named)}, x="weights removed, tenths", y="loss",
            alt="Two rising curves. One stays low for long, the other one rises at once.",
        ),
        answer=f"{right} is pruning by magnitude; random pruning is the control",
        steps=(
            (f"Small weights change the outputs least, so curve {right} stays low.", 1),
            ("If random pruning did as well, the network would just have too many weights, and magnitude would not matter.", 1),
        ),
    )  # fmt: skip


@question("short", "structured-pruning", 4)
def what_zeros_save(rng: Random) -> Drawn:
    inputs, units, outputs = rng.choice([(64, 32, 10), (100, 50, 10), (64, 64, 8)])
    before = inputs * units + units * outputs
    return Drawn(
        text=f"A network with {inputs} inputs, {units} hidden units and {outputs} outputs loses half of its weights, once by a mask, once by removing half of the hidden units. How many multiply-adds does a dense matrix product need per example, in each case?",
        answer=f"{before:,} and {before // 2:,}",
        wrong=[
            f"{before // 2:,} and {before // 2:,}",
            f"{before // 2:,} and {before:,}",
            f"{before:,} and {before // 4:,}",
        ],
        steps=(
            (f"The matrices keep their shapes, and zeros are multiplied, too: ${inputs} \\cdot {units} + {units} \\cdot {outputs} = {before:,}$.", 2),
            (f"Both matrices have half as many entries: {before // 2:,}.", 1),
        ),
    )  # fmt: skip
