"""Questions on training."""

from __future__ import annotations

import math
from random import Random

import torch

from grader.questions import Drawn, apart, question
from grader.questions.curves import curves
from grader.questions.kinds import prints, tensor, which_mistake
from grader.questions.shown import num, table
from solutions import training


@question("short", "first-weights", 3, public=True)
def spread_of_he(rng: Random) -> Drawn:
    inputs, outputs = rng.choice([(50, 10), (200, 30), (8, 100), (32, 10), (800, 50)])
    draws = torch.ones(outputs, inputs).double()
    std = training.he_normal(draws)[0, 0].item()
    return Drawn(
        text=f"A layer with {inputs} inputs and {outputs} outputs is followed by ReLU. Which standard deviation "
        "does He initialization give its weights? Where does the factor 2 come from?",
        answer=f"{num(std)}; ReLU halves the mean square",
        wrong=[
            f"{num(std * std, 4)}; ReLU halves the mean square",
            f"{num(math.sqrt(2 / outputs))}; ReLU halves the mean square",
            f"{num(math.sqrt(1 / inputs))}; there are two signs",
        ],
        steps=(
            (f"Each output sums {inputs} products, so the variance is $2/{inputs}$.", 1),
            (f"The standard deviation is its root: {num(std)}.", 1),
            ("ReLU sets half of a symmetric signal to 0, which halves its mean square.", 1),
        ),
    )


@question("mistake", "first-weights", 5)
def he_mistake(rng: Random) -> Drawn:
    inputs, outputs = rng.choice([(8, 2), (2, 8), (32, 2), (2, 32), (8, 32), (32, 8)])
    return which_mistake(
        rng,
        "training.he_normal",
        {"draws": torch.ones(outputs, inputs)},
        ["variance_for_deviation", "fan_out", "no_two", "both_fans"],
        text=f"A student's `he_normal` was called for a layer with {inputs} inputs and {outputs} outputs, with "
        "draws that all are 1. All entries of the result are the same number.",
        view=lambda found: found[0, 0],
        places=4,
    )


@question("short", "momentum", 4, public=True)
def two_steps_of_momentum(rng: Random) -> Drawn:
    w, rate, mu = rng.choice([4, 8, 10]), rng.choice([0.1, 0.5]), 0.5
    g = [rng.choice([2, 4, 6]), rng.choice([-2, 2, 4])]
    at, v = tensor([float(w)]), tensor([0.0])
    seen = []
    for one in g:
        at, v = training.momentum_step(at, tensor([float(one)]), v, lr=rate, momentum=mu)
        seen.append((v.item(), at.item()))
    apart(seen[1][0], 0.0)
    return Drawn(
        text=f"A parameter of {w} gets the gradients {g[0]} and ${g[1]}$ in two steps with momentum: $\\mu = {mu}$, "
        f"$\\eta = {rate}$, no velocity at first. Compute the velocity and the parameter after each step.",
        answer=f"$v = {num(seen[0][0])}$, $w = {num(seen[0][1])}$; then $v = {num(seen[1][0])}$, "
        f"$w = {num(seen[1][1])}$",
        steps=(
            (f"$v = {g[0]}$ and $w = {w} - {rate} \\cdot {g[0]} = {num(seen[0][1])}$", 1),
            (f"$v = {mu} \\cdot {g[0]} + ({g[1]}) = {num(seen[1][0])}$", 1),
            (f"$w = {num(seen[0][1])} - {rate} \\cdot ({num(seen[1][0])}) = {num(seen[1][1])}$", 1),
        ),
    )


@question("mistake", "momentum", 5, public=True)
def momentum_mistake(rng: Random) -> Drawn:
    w, g, v = rng.choice([5, 10]), rng.choice([2, 4, 6]), rng.choice([-4, 8, 10])
    return which_mistake(
        rng,
        "training.momentum_step",
        {
            "parameter": [float(w)],
            "gradient": [float(g)],
            "velocity": [float(v)],
            "lr": 0.1,
            "momentum": 0.8,
        },
        ["old_velocity", "averaged", "uphill", "momentum_on_both"],
        text=f"A student's `momentum_step` was called with $w = {w}$, $g = {g}$, $v = {v}$, $\\eta = 0.1$ and "
        "$\\mu = 0.8$. Look at the new parameter.",
        part=0,
    )


@question("derive", "edge-of-stability", 6)
def largest_rate(rng: Random) -> Drawn:
    curvature = rng.choice([2, 4, 5, 10, 20])
    limit = 2 / curvature
    rate = rng.choice([0.5, 1.5, 2.5]) / curvature
    factor = 1 - rate * curvature
    moves = "converges" if abs(factor) < 1 else "diverges"
    return Drawn(
        text=f"Gradient descent minimizes $L(w) = \\tfrac{{1}}{{2}} \\cdot {curvature}\\, w^2$. Derive for which "
        f"learning rates it converges. What happens with $\\eta = {num(rate)}$?",
        answer=f"$0 < \\eta < {num(limit)}$; $w$ is multiplied by ${num(factor)}$ in each step and {moves}",
        steps=(
            (
                f"The gradient is ${curvature} w$, so a step multiplies $w$ by $1 - {curvature} \\eta$.",
                2,
            ),
            (f"It converges where this factor is between $-1$ and 1: $\\eta < 2/{curvature}$.", 2),
            (f"$1 - {curvature} \\cdot {num(rate)} = {num(factor)}$: it {moves}.", 1),
        ),
    )


@question("short", "adam", 5, public=True)
def first_step_of_adam(rng: Random) -> Drawn:
    g, rate = rng.choice([0.001, 0.5, 3, -20, -0.04]), rng.choice([0.01, 0.1])
    w, *_ = training.adam_step(
        tensor([1.0]), tensor([float(g)]), tensor([0.0]), tensor([0.0]), 1, lr=rate, eps=0.0
    )
    return Drawn(
        text=f"Adam takes its first step from $w = 1$ with the gradient $g = {g}$, $\\eta = {rate}$, the usual "
        "$\\beta_1 = 0.9$, $\\beta_2 = 0.999$ and $\\varepsilon$ left out. Compute $\\hat m$, $\\hat s$ and the "
        "new $w$. How does the step depend on the size of $g$?",
        answer=f"$\\hat m = {g}$, $\\hat s = {num(g * g, 6)}$, $w = {num(w.item())}$; only on its sign",
        steps=(
            ("$m = 0.1\\, g$ and $s = 0.001\\, g^2$", 1),
            (
                "Divided by $1 - \\beta_1 = 0.1$ and $1 - \\beta_2 = 0.001$ they are $g$ and $g^2$.",
                1,
            ),
            (f"$w = 1 - {rate}\\, g / |g| = {num(w.item())}$", 1),
            ("The size of the gradient cancels.", 1),
        ),
    )


@question("mistake", "adam", 6)
def adam_mistake(rng: Random) -> Drawn:
    g, step = float(rng.choice([2, 4, 5])), 1
    return which_mistake(
        rng,
        "training.adam_step",
        {
            "parameter": [1.0], "gradient": [g], "exp_avg": [0.0], "exp_avg_sq": [0.0], "step": step,
            "lr": 0.1, "betas": (0.5, 0.96), "eps": 0.0,
        },
        ["no_correction", "no_root", "uphill"],
        text=f"A student's `adam_step` was called for the first step with $w = 1$, $g = {num(g)}$, $\\eta = 0.1$, "
        "$\\beta_1 = 0.5$, $\\beta_2 = 0.96$ and $\\varepsilon = 0$. Look at the new parameter.",
        part=0,
    )  # fmt: skip


@question("short", "decoupled", 5)
def decay_beside_adam(rng: Random) -> Drawn:
    w, rate, decay = rng.choice([2, 3, 4, 5, 10]), 0.1, rng.choice([0.1, 0.2, 0.5])
    after = training.adamw_step(
        tensor([float(w)]),
        tensor([0.0]),
        tensor([0.0]),
        tensor([0.0]),
        1,
        lr=rate,
        weight_decay=decay,
    )[0].item()
    inside = training.adam_step(
        tensor([float(w)]),
        tensor([0.0]),
        tensor([0.0]),
        tensor([0.0]),
        1,
        lr=rate,
        weight_decay=decay,
        eps=0.0,
    )[0].item()
    return Drawn(
        text=f"The gradient of the loss is 0, $w = {w}$, $\\eta = {rate}$ and $\\lambda = {decay}$. Where is $w$ after "
        "the first step of AdamW, and where after that of Adam with the penalty in the gradient (without "
        "ε)?",
        answer=f"{num(after)} and {num(inside)}",
        wrong=[
            f"{num(after)} and {num(after)}",
            f"{num(inside)} and {num(after)}",
            f"{w} and {num(inside)}",
        ],
        steps=(
            (
                f"AdamW shrinks the weight: $(1 - {rate} \\cdot {decay}) \\cdot {w} = {num(after)}$",
                2,
            ),
            (
                f"Adam divides the penalty's gradient by its own size: a step of {rate}, whatever $\\lambda$ is.",
                2,
            ),
        ),
    )


@question("curve", "schedule", 4, public=True)
def schedules(rng: Random) -> Drawn:
    warm, total = rng.choice([2, 4, 5]), 20
    cosine = [training.warmup_cosine(t, warmup=warm, total=total) for t in range(total + 1)]
    straight = [max(0.0, 1 - t / total) for t in range(total + 1)]
    flat = [1.0] * (total + 1)
    named = dict(zip(rng.sample("ABC", 3), (cosine, straight, flat), strict=True))
    right = next(name for name, line in named.items() if line is cosine)
    return Drawn(
        text="The figure shows three schedules of the learning rate. Which curve is a warm-up with a cosine "
        "decay, and how many steps does the warm-up take?",
        figure=curves(
            {name: named[name] for name in sorted(named)}, x="step", y="factor",
            alt="One factor stays at 1, one falls in a straight line, one rises quickly and falls in half a wave.",
        ),
        answer=f"{right}, {warm} steps",
        steps=(
            (f"Only {right} begins low, rises, and then falls in half a wave.", 1),
            (f"It reaches 1 in step {warm - 1}, which is step number {warm} from the first.", 1),
        ),
    )  # fmt: skip


@question("short", "clipping", 4, public=True)
def clipped(rng: Random) -> Drawn:
    a, b = rng.choice([([3, 0], [4]), ([6, 0], [8]), ([2, 4], [4]), ([0, 5], [12])])
    limit = rng.choice([1, 2, 5])
    found, norm = training.clip_by_global_norm(
        [tensor([float(one) for one in part]) for part in (a, b)], max_norm=float(limit)
    )
    apart(num(norm), num(limit))  # clipping would change nothing
    return Drawn(
        text=f"Two parameters have the gradients ${table(a)}$ and ${table(b)}$. They are clipped to a global norm "
        f"of {limit}. Compute the clipped gradients. What does clipping keep, and what would clipping each "
        "gradient by its own norm change?",
        answer=f"${table(found[0])}$ and ${table(found[1])}$; the direction, which would change",
        steps=(
            (f"The norm of all entries together is {num(norm.item())}.", 1),
            (
                f"The factor is $\\min(1, {limit}/{num(norm.item())})$: ${table(found[0])}$ and ${table(found[1])}$.",
                2,
            ),
            ("One factor for all keeps the direction of the step; two factors change it.", 1),
        ),
    )


@question("short", "batch-norm", 5)
def batch_against_layer(rng: Random) -> Drawn:
    x = rng.choice([[[1, 3], [5, 7]], [[0, 2], [4, 10]], [[2, 8], [1, 4]], [[1, 9], [3, 5]]])
    norm = training.BatchNorm1d(2, eps=0.0).double()
    batch = norm(torch.tensor(x).double()).detach()
    rows = torch.tensor(x).double()
    layer = (rows - rows.mean(1, keepdim=True)) / rows.std(1, keepdim=True, correction=0)
    apart(table(batch), table(layer))
    return Drawn(
        text=f"Normalize $X = {table(x)}$, two examples of two features, by batch normalization and by layer "
        "normalization, with $\\gamma = 1$, $\\beta = 0$ and without ε. Which of the two depends on the other "
        "examples?",
        answer=f"${table(batch)}$ and ${table(layer)}$; batch normalization",
        steps=(
            (f"Batch normalization works on columns: ${table(batch)}$", 2),
            (f"Layer normalization works on rows: ${table(layer)}$", 2),
            ("A column holds all examples, a row only one.", 1),
        ),
    )


@question("mistake", "dropout", 4)
def dropout_mistake(rng: Random) -> Drawn:
    x = [float(rng.choice([2, 4, 6])) for _ in range(3)]
    draws = rng.sample([0.1, 0.3, 0.9], 3)
    return which_mistake(
        rng,
        "training.dropout",
        {"input": x, "draws": draws, "p": 0.2},
        ["not_scaled", "kept_and_dropped_swapped", "divided_by_p", "mask_alone"],
        text=f"A student's `dropout` was called with $x = {table(x)}$, the draws ${table(draws)}$ and $p = 0.2$: an "
        "entry is dropped where its draw is below $p$.",
    )


@question("prints", "dropout", 3)
def mean_is_kept(rng: Random) -> Drawn:
    p, value = rng.choice([0.5, 0.2, 0.75]), rng.choice([1.0, 3.0, 6.0])
    kept = value / (1 - p)
    return prints(
        f"""p, x = {p}, {value}
kept = x / (1 - p)
mean = (1 - p) * kept + p * 0
print(round(kept, 2), round(mean, 2))""",
        (f"What stays is divided by the probability to stay: {num(kept)}.", 1),
        (
            f"The mean over drops and keeps is {num(value)} again, so nothing has to change at test time.",
            1,
        ),
    )


@question("short", "early-stopping", 3, public=True)
def when_to_stop(rng: Random) -> Drawn:
    best, patience = rng.choice([2, 3]), rng.choice([2, 3])
    falling = sorted((rng.sample(range(40, 90), best + 1)), reverse=True)
    rising = [falling[-1] + rng.randint(1, 9) for _ in range(5)]
    losses = [one / 100 for one in falling + rising]
    stop = next(
        n
        for n in range(1, len(losses) + 1)
        if training.early_stopping(losses[:n], patience=patience)[1]
    )
    return Drawn(
        text=f"Development losses by epoch: {', '.join(map(num, losses))}. With a patience of {patience}, after "
        "which epoch does training stop, and from which epoch are the weights taken? Epochs count from 0.",
        answer=f"after epoch {stop - 1}, from epoch {best}",
        wrong=[
            f"after epoch {stop}, from epoch {best}",
            f"after epoch {stop - 1}, from epoch {stop - 1}",
            f"after epoch {best + 1}, from epoch {best}",
        ],
        steps=(
            (f"The lowest loss so far is that of epoch {best}.", 1),
            (f"{patience} epochs later none is better: stop after epoch {stop - 1}.", 1),
        ),
    )


@question("short", "softer-labels", 3)
def smoothed_labels(rng: Random) -> Drawn:
    classes, share = rng.choice([4, 5, 10]), rng.choice([0.1, 0.2])
    soft = torch.full((classes,), share / classes) + (1 - share) * torch.eye(classes)[0]
    return Drawn(
        text=f"Labels of {classes} classes are smoothed by {share}: this share of the probability is spread evenly "
        "over all classes. Which targets do the right class and the others get? For which probabilities is "
        "the cross-entropy lowest?",
        answer=f"{num(soft[0].item())} and {num(soft[1].item())}; for these, not for 1 and 0",
        steps=(
            (f"The others get {share}/{classes} = {num(soft[1].item())}.", 1),
            (f"The right class gets 1 − {share} more: {num(soft[0].item())}.", 1),
            ("A cross-entropy is lowest where the prediction equals the target.", 1),
        ),
    )
