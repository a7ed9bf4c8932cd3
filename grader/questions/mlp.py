"""Questions on multilayer perceptrons."""

from __future__ import annotations

from random import Random

import torch

from grader.questions import Drawn, apart, question
from grader.questions.curves import curves
from grader.questions.kinds import prints, tensor, which_mistake
from grader.questions.shown import num, table
from solutions import mlp


@question("short", "stacking", 4, public=True)
def two_layers(rng: Random) -> Drawn:
    W1 = [[rng.randint(-2, 2) for _ in range(2)] for _ in range(2)]
    b1, x = [rng.randint(-3, 3) for _ in range(2)], [rng.randint(1, 3) for _ in range(2)]
    W2, b2 = [[rng.choice([-2, -1, 1, 2]) for _ in range(2)]], [rng.randint(-2, 2)]
    made = [torch.tensor(one).double() for one in ([x], W1, W2, b1, b2)]
    scores, outputs = mlp.forward(made[0], made[1:3], made[3:], activation="relu")
    before = (made[1] @ made[0][0] + made[3]).tolist()
    apart(before[0] * before[1] < 0, False)  # ReLU cuts one, and keeps the other
    apart(num(scores.item()), "0")
    return Drawn(
        text=f"A network has $W_1 = {table(W1)}$, $b_1 = {table(b1)}$, ReLU, $W_2 = {table(W2)}$ and "
        f"$b_2 = {num(b2[0])}$. Compute its score for $x = {table(x)}$.",
        answer=f"{num(scores.item())}",
        steps=(
            (f"$a_1 = W_1 x + b_1 = {table(before)}$", 1),
            (f"ReLU cuts at 0: $o_1 = {table(outputs[1])}$", 1),
            (f"$W_2 o_1 + b_2 = {num(scores.item())}$; no activation follows the last layer.", 1),
        ),
    )


@question("short", "stacking", 3)
def parameters_of_a_stack(rng: Random) -> Drawn:
    sizes = [rng.choice([10, 20, 64]), rng.choice([30, 50]), rng.choice([3, 10])]
    count = sum(one.numel() for one in mlp.MLP(sizes).parameters())
    weights = sizes[0] * sizes[1] + sizes[1] * sizes[2]
    return Drawn(
        text=f"A network has {sizes[0]} inputs, {sizes[1]} hidden units and {sizes[2]} scores. How many "
        "parameters does it have, biases included?",
        answer=f"{count}",
        wrong=[f"{weights}", f"{sizes[0] * sizes[1] * sizes[2]}", f"{weights + sum(sizes)}"],
        steps=(
            (
                f"Weights: ${sizes[0]} \\cdot {sizes[1]} + {sizes[1]} \\cdot {sizes[2]} = {weights}$",
                1,
            ),
            (f"Biases: {sizes[1]} + {sizes[2]}, so {count} in all.", 1),
        ),
    )


@question("derive", "collapse", 6, public=True)
def collapsed(rng: Random) -> Drawn:
    W = [[[rng.randint(-2, 2) for _ in range(2)] for _ in range(2)] for _ in range(2)]
    b = [[rng.randint(-2, 2) for _ in range(2)] for _ in range(2)]
    weight, bias = mlp.collapse([torch.tensor(one) for one in W], [torch.tensor(one) for one in b])
    apart(weight.tolist(), (torch.tensor(W[0]) @ torch.tensor(W[1])).tolist())  # the other order
    apart(W[0], W[1], [[0, 0], [0, 0]], weight.tolist())
    return Drawn(
        text="Show that two linear layers without an activation between them are one linear layer, and "
        f"compute it for $W_1 = {table(W[0])}$, $b_1 = {table(b[0])}$, $W_2 = {table(W[1])}$, "
        f"$b_2 = {table(b[1])}$.",
        answer=f"$W = {table(weight)}$, $b = {table(bias)}$",
        steps=(
            ("$W_2 (W_1 x + b_1) + b_2 = (W_2 W_1)\\, x + (W_2 b_1 + b_2)$", 2),
            (f"$W = W_2 W_1 = {table(weight)}$: the layer that comes last stands first.", 2),
            (
                f"$b = W_2 b_1 + b_2 = {table(bias)}$: the first bias passes through the second layer.",
                1,
            ),
        ),
    )


@question("mistake", "collapse", 6)
def collapse_mistake(rng: Random) -> Drawn:
    W = [[[rng.choice([-2, -1, 1, 2]) for _ in range(2)] for _ in range(2)] for _ in range(2)]
    b = [[rng.choice([-2, -1, 1, 2]) for _ in range(2)] for _ in range(2)]
    return which_mistake(
        rng,
        "mlp.collapse",
        {
            "weights": tuple(map(torch.tensor, W)),
            "biases": tuple(map(torch.tensor, b)),
        },
        ["biases_added_up", "last_bias_alone", "bias_through_its_own_layer"],
        text=f"A student's `collapse` was called with $W_1 = {table(W[0])}$, $W_2 = {table(W[1])}$, "
        f"$b_1 = {table(b[0])}$ and $b_2 = {table(b[1])}$. Its weight is right. Look at its bias.",
        part=1,
    )


@question("short", "elementwise", 4)
def softmax_slopes(rng: Random) -> Drawn:
    p = rng.choice([[0.5, 0.25, 0.25], [0.2, 0.3, 0.5], [0.1, 0.4, 0.5], [0.6, 0.2, 0.2]])
    jacobian = mlp.softmax_jacobian(tensor(p).log())
    i, j = rng.sample(range(3), 2)
    return Drawn(
        text=f"A softmax returns $p = {table(p)}$. Compute $\\partial p_{i} / \\partial z_{i}$ and "
        f"$\\partial p_{i} / \\partial z_{j}$. Why is softmax not an elementwise activation?",
        answer=f"{num(jacobian[i, i])} and ${num(jacobian[i, j])}$; each output depends on every score",
        steps=(
            (f"$p_{i} (1 - p_{i}) = {num(jacobian[i, i], 4)}$", 1),
            (f"$-p_{i} p_{j} = {num(jacobian[i, j], 4)}$", 1),
            ("All scores enter the sum by which each exponential is divided.", 1),
        ),
    )


@question("short", "backpropagation", 6, public=True)
def through_a_layer(rng: Random) -> Drawn:
    delta, o = [rng.choice([-1, 1, 2]) for _ in range(2)], [rng.choice([0, 1, 3]) for _ in range(3)]
    W = [[rng.randint(-2, 2) for _ in range(3)] for _ in range(2)]
    back, weight, bias = mlp.linear_backward(*map(torch.tensor, ([delta], [o], W)))
    for part in (back, weight):
        apart(bool(part.any()), False)
    return Drawn(
        text=f"A linear layer $a = W o + b$ has $W = {table(W)}$ and got $o = {table(o)}$. From above "
        f"comes $\\delta = \\partial L / \\partial a = {table(delta)}$. Compute the gradients with "
        "respect to $W$, $b$ and $o$.",
        answer=f"$\\partial L/\\partial W = {table(weight)}$, $\\partial L/\\partial b = {table(bias)}$, "
        f"$\\partial L/\\partial o = {table(back)}$",
        steps=(
            (f"$\\delta\\, o^\\top = {table(weight)}$", 2),
            (f"$\\partial L/\\partial b = \\delta = {table(bias)}$", 1),
            (f"$W^\\top \\delta = {table(back)}$", 2),
        ),
    )


@question("mistake", "backpropagation", 5, public=True)
def activation_mistake(rng: Random) -> Drawn:
    grad = [[float(rng.choice([-2, 2, 4])) for _ in range(3)]]
    output = [[rng.choice([0.1, 0.2]), 0.5, rng.choice([0.8, 0.9])]]
    return which_mistake(
        rng,
        "mlp.activation_backward",
        {"grad": grad, "output": output, "activation": "sigmoid"},
        ["slope_at_the_output", "gradient_from_above_dropped", "half_of_the_product"],
        text=f"A student's `activation_backward` was called for the sigmoid with $\\partial L/\\partial "
        f"o = {table(grad)}$ and $o = {table(output)}$.",
    )


@question("derive", "backpropagation", 7)
def backward_by_hand(rng: Random) -> Drawn:
    w1, w2, x = rng.choice([1, 2]), rng.choice([-3, -1, 2, 3]), rng.choice([1, 2, 3])
    y = rng.randint(-4, 4)
    made = [torch.tensor([[float(one)]]) for one in (x, w1, w2)]
    zero = [torch.zeros(1), torch.zeros(1)]
    score, kept = mlp.forward(made[0], made[1:], zero, activation="relu")
    delta = 2 * (score - y)
    _, weights, _ = mlp.backward(delta, kept, made[1:], activation="relu")
    apart(num(weights[1].item()), num(weights[0].item()))  # both are 0 where the loss is
    return Drawn(
        text=f"A network of one unit per layer is $h(x) = w_2 \\operatorname{{ReLU}}(w_1 x)$ with $w_1 = {w1}$ "
        f"and $w_2 = {w2}$. The loss is $L = (h(x) - y)^2$. Derive the gradients of $w_2$ and $w_1$ by the "
        f"chain rule, and evaluate them for $x = {x}$ and $y = {y}$.",
        answer=f"$\\partial L/\\partial w_2 = {num(weights[1].item())}$, "
        f"$\\partial L/\\partial w_1 = {num(weights[0].item())}$",
        steps=(
            (
                f"$h(x) = {num(score.item())}$, and $\\delta_2 = 2 (h(x) - y) = {num(delta.item())}$",
                1,
            ),
            (
                f"$\\partial L/\\partial w_2 = \\delta_2\\, o_1 = {num(delta.item())} \\cdot {num(kept[1].item())}$",
                2,
            ),
            (
                "$\\delta_1 = w_2\\, \\delta_2\\, \\sigma'(a_1)$ with the slope 1 of ReLU, because $w_1 x > 0$",
                2,
            ),
            (f"$\\partial L/\\partial w_1 = \\delta_1 x = {num(weights[0].item())}$", 1),
        ),
    )


@question("curve", "gradient-check", 4)
def error_of_differences(rng: Random) -> Drawn:
    at = rng.choice([1.0, 2.0])
    x = tensor([at])
    exact = torch.exp(x)
    one, two = [], []
    for power in range(1, 13):
        step = 10.0**-power
        one.append(max(((torch.exp(x + step) - torch.exp(x)) / step - exact).abs().item(), 1e-12))
        two.append(
            max(
                ((torch.exp(x + step) - torch.exp(x - step)) / (2 * step) - exact).abs().item(),
                1e-12,
            )
        )
    named = dict(zip(rng.sample("AB", 2), (one, two), strict=True))
    right = next(name for name, line in named.items() if line is two)
    return Drawn(
        text="A derivative is measured with a nudge to one side, and with nudges to both sides. The figure "
        "shows the error for $\\varepsilon = 10^{-1}, 10^{-2}$ and so on, in float64. Which curve has "
        "nudges to both sides? Why does the error grow again at the right?",
        figure=curves(
            {name: named[name] for name in sorted(named)},
            x="n, with ε = 10⁻ⁿ",
            y="error",
            log=True,
            start=1,
            alt="Two errors that fall and rise again; one falls faster and turns earlier.",
        ),
        answer=f"{right}; rounding, divided by a small ε",
        steps=(
            ("With both sides the error falls with $\\varepsilon^2$, with one side with $\\varepsilon$: "
             f"the steeper curve is {right}.", 2),
            ("The two losses are rounded; their difference, divided by a small $\\varepsilon$, is mostly "
             "rounding.", 1),
        ),
    )  # fmt: skip


@question("short", "approximation", 6, public=True)
def straight_pieces(rng: Random) -> Drawn:
    knots = [0, 1, 3]
    values = [rng.randint(0, 3), rng.randint(4, 6), rng.choice([0, 2])]
    weights, biases = mlp.interpolate(
        tensor([float(k) for k in knots]), tensor([float(v) for v in values])
    )
    slopes = [(values[1] - values[0]) / 1, (values[2] - values[1]) / 2]
    outer = weights[1][0].tolist()
    return Drawn(
        text=f"A network $h(x) = c + v_1 \\operatorname{{ReLU}}(x) + v_2 \\operatorname{{ReLU}}(x - 1)$ is to run "
        f"straight from (0, {values[0]}) to (1, {values[1]}) to (3, {values[2]}). Find $c$, $v_1$ and $v_2$.",
        answer=f"$c = {num(biases[1].item())}$, $v_1 = {num(outer[0])}$, $v_2 = {num(outer[1])}$",
        steps=(
            (f"At 0 both units are 0: $c = {values[0]}$.", 1),
            (f"The first piece has the slope $v_1 = {num(slopes[0])}$.", 1),
            (
                f"The second has the slope $v_1 + v_2 = {num(slopes[1])}$: a unit adds a bend, not a slope.",
                2,
            ),
        ),
    )


@question("prints", "any-architecture", 5)
def two_paths(rng: Random) -> Drawn:
    a, b = rng.choice([2, 3]), rng.choice([2, 3, 5])
    found = mlp.reverse_mode([[], [0], [0, 1]], [[], [float(a)], [1.0, float(b)]], 2)[0]
    return prints(
        f"""import torch

x = torch.tensor(1.0, requires_grad=True)
y = {a} * x
z = x + {b} * y
z.backward()
print(x.grad.item())""",
        ("`x` reaches `z` on two paths: directly, and through `y`.", 1),
        (f"The direct path contributes 1, the other ${a} \\cdot {b} = {a * b}$.", 2),
        (f"Contributions of paths add up: {num(found)}.", 1),
    )


@question("short", "mlp-cost", 4, public=True)
def cost_of_training(rng: Random) -> Drawn:
    sizes, batch = [rng.choice([20, 50]), rng.choice([100, 200]), 10], rng.choice([10, 100])
    forward, backward = mlp.multiply_adds(sizes, batch=batch)
    first = sizes[0] * sizes[1] * batch
    return Drawn(
        text=f"A network has the sizes {sizes[0]}, {sizes[1]}, {sizes[2]} and reads batches of {batch}. How many "
        "multiply-adds do its matrix products take forward, and how many backward in training?",
        answer=f"{forward:,} and {backward:,}",
        wrong=[
            f"{forward:,} and {2 * forward:,}",
            f"{forward:,} and {forward:,}",
            f"{forward // batch:,} and {backward // batch:,}",
        ],
        steps=(
            (f"Forward: ${batch} \\cdot ({sizes[0]} \\cdot {sizes[1]} + {sizes[1]} \\cdot 10)$", 1),
            ("Backward: as many for the weights, and as many again for the inputs of layers.", 1),
            (f"The gradient of $x$ is not needed, which saves {first:,}.", 1),
        ),
    )


@question("short", "recomputing", 4)
def checkpointing(rng: Random) -> Drawn:
    layers, every = rng.choice([(16, 4), (36, 6), (64, 8), (100, 10)])
    return Drawn(
        text=f"A network has {layers} layers with outputs of the same size. Only the output at the start of each "
        f"stretch of {every} layers is kept; the backward pass computes the others again, one stretch at a "
        "time. How many outputs are held at the same time at most, and how many forward passes does a step "
        "cost in all?",
        answer=f"{layers // every} + {every} = {layers // every + every} instead of {layers}; about 2",
        steps=(
            (f"Kept: {layers} / {every} = {layers // every}.", 1),
            (f"Recomputed for one stretch: {every}.", 1),
            (
                "Each layer runs forward a second time, so a step costs about one forward pass more.",
                1,
            ),
        ),
    )


@question("mistake", "mlp-cost", 5)
def cost_mistake(rng: Random) -> Drawn:
    sizes = [rng.choice([10, 20]), rng.choice([30, 50]), rng.choice([5, 10])]
    batch = rng.choice([2, 10])
    return which_mistake(
        rng,
        "mlp.multiply_adds",
        {"sizes": tuple(sizes), "batch": batch},
        ["backward_like_forward", "input_gradient_always", "batch_forgotten"],
        text=f"A student's `multiply_adds` was called with the sizes {sizes} and a batch of {batch}. Look at the "
        "count of the backward pass of training.",
        part=1,
        places=0,
    )
