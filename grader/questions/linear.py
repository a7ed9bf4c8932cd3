"""Questions on linear models."""

from __future__ import annotations

import math
from random import Random

import torch

from grader.questions import Drawn, apart, question
from grader.questions.curves import curves
from grader.questions.kinds import prints, which_mistake
from grader.questions.shown import num, table
from solutions import linear


@question("short", "one-family", 3, public=True)
def scores(rng: Random) -> Drawn:
    W = [[rng.randint(-3, 3) for _ in range(3)] for _ in range(2)]
    x, b = [rng.randint(1, 4) for _ in range(3)], [rng.randint(-5, 5) for _ in range(2)]
    z = linear.linear(*map(torch.tensor, (x, W, b)))
    terms = [" + ".join(f"({w}) \\cdot {one}" for w, one in zip(row, x, strict=True)) for row in W]
    apart(*z.tolist())  # a tie has no largest score
    return Drawn(
        text=f"A linear model has $W = {table(W)}$ and $b = {table(b)}$. Compute its scores for "
        f"$x = {table(x)}$. Which class does it choose, counted from 0?",
        answer=f"$z = {table(z)}$, class {int(z.argmax())}",
        steps=(
            (f"$z_0 = {terms[0]} + ({b[0]}) = {int(z[0])}$", 1),
            (f"$z_1 = {terms[1]} + ({b[1]}) = {int(z[1])}$", 1),
            ("The largest score wins.", 1),
        ),
    )


@question("short", "one-family", 2, public=True)
def parameters(rng: Random) -> Drawn:
    side, classes = rng.choice([5, 6, 8, 10]), rng.choice([3, 5, 10])
    model = linear.LinearModel(side * side, classes)
    count = sum(one.numel() for one in model.parameters())
    pixels = side * side
    return Drawn(
        text=f"Softmax regression reads pictures of {side} × {side} pixels and tells {classes} classes "
        "apart. How many parameters does it have?",
        answer=f"{count}",
        wrong=[f"{count - classes}", f"{count - classes + pixels}", f"{count - classes + 1}"],
        steps=(
            (
                f"A weight for each class and pixel: ${classes} \\cdot {pixels} = {count - classes}$.",
                1,
            ),
            (f"A bias for each class: {count - classes} + {classes} = {count}.", 1),
        ),
    )


@question("mistake", "linear-regression", 5, public=True)
def squared_loss_mistake(rng: Random) -> Drawn:
    z = [[rng.randint(-3, 3) for _ in range(3)] for _ in range(2)]
    y = [[one + rng.choice([-2, -1, 1, 2]) for one in row] for row in z]
    return which_mistake(
        rng,
        "linear.squared_loss",
        {"input": [[float(one) for one in row] for row in z], "target": y},
        ["mean_over_outputs", "sum_over_examples", "half", "root_taken"],
        text=f"A student's `squared_loss` was called with the predictions $Z = {table(z)}$, a row for "
        f"each example, and the targets $Y = {table(y)}$.",
    )


@question("derive", "linear-regression", 6)
def ridge_one_weight(rng: Random) -> Drawn:
    lam, (a, c) = rng.choice([2, 3, 5]), (rng.choice([1, 2, 3]), rng.choice([4, 6, 8, 12]))
    x, y = [-a, 0, a], [-c + 5, 5, c + 5]
    weight, bias = linear.normal_equations(
        torch.tensor([[one] for one in x]).double(),
        torch.tensor([[one] for one in y]).double(),
        l2=float(lam),
    )
    found = num(weight.item())
    return Drawn(
        text=f"A model with one weight and one bias is fitted to $x = {table(x)}$, $y = {table(y)}$ with "
        f"the loss $J = \\frac{{1}}{{3}} \\sum_i (w x_i + b - y_i)^2 + {lam} w^2$. Derive $b$ and $w$ at "
        "the minimum.",
        answer=f"$b = {num(bias.item())}$, $w = {found}$",
        steps=(
            (
                "$\\partial J / \\partial b = 0$ says that the errors sum to zero: "
                f"$b = \\bar y - w \\bar x = {num(bias.item())}$, because $\\bar x = 0$.",
                2,
            ),
            (
                "$\\partial J / \\partial w = \\frac{2}{3} \\sum_i (w x_i + b - y_i) x_i + "
                f"{2 * lam} w = 0$",
                1,
            ),
            (
                f"$({2 * a * a} + 3 \\cdot {lam})\\, w = {2 * a * c}$, so $w = {found}$. The penalty is "
                "multiplied by the number of examples.",
                2,
            ),
        ),
    )


@question("short", "paired", 5)
def paired_t(rng: Random) -> Drawn:
    mean, spread, base = rng.choice([1, 2, 3]), rng.choice([1, 2]), rng.randint(80, 88)
    second = [base + rng.randint(-4, 4) for _ in range(5)]
    strays = [spread, spread, 0, -spread, -spread]
    rng.shuffle(strays)
    first = [one + mean + stray for one, stray in zip(second, strays, strict=True)]
    found, error, t = linear.paired_difference(first, second)
    return Drawn(
        text=f"Two models are evaluated on the same five splits. Accuracies in percent: ${table(first)}$ "
        f"and ${table(second)}$. Compute the mean difference, its standard error and $t$, without the "
        "correction for reused examples. Leave square roots as they are.",
        answer=f"$\\bar d = {num(found)}$, standard error ${spread}/\\sqrt{{5}} = {num(error)}$, "
        f"$t = {num(t, 2)}$",
        steps=(
            (
                f"Subtract pair by pair: ${table([a - b for a, b in zip(first, second, strict=True)])}$.",
                1,
            ),
            (
                f"$\\bar d = {num(found)}$ and $\\operatorname{{Var}}(d) = {spread**2}$, divided by 4.",
                2,
            ),
            (f"$t = \\bar d / \\sqrt{{{spread**2}/5}} = {num(t, 2)}$", 1),
        ),
    )


@question("prints", "three-steps", 5)
def step_of_descent(rng: Random) -> Drawn:
    x, y, w, rate = (
        rng.choice([1, 2]),
        rng.randint(1, 5),
        rng.choice([0, 1, 2]),
        rng.choice([0.1, 0.5]),
    )
    code = f"""import torch

w = torch.tensor({w}.0, requires_grad=True)
for step in range(2):
    loss = (w * {x} - {y}) ** 2
    loss.backward()
    with torch.no_grad():
        w -= {rate} * w.grad
print(round(w.item(), 2))"""
    first = 2 * (w * x - y) * x
    apart(first, 0)  # then clearing the gradient would change nothing
    after = w - rate * first
    second = 2 * (after * x - y) * x
    return prints(
        code,
        (
            f"First step: the gradient is $2 (w x - y) x = {first}$, and $w$ becomes ${num(after)}$.",
            2,
        ),
        (
            f"Nothing clears the gradient, so the second `backward` adds ${num(second)}$ to it: "
            f"${num(first + second)}$.",
            2,
        ),
        (f"$w = {num(after)} - {rate} \\cdot ({num(first + second)})$", 1),
    )


@question("curve", "three-steps", 4, public=True)
def learning_rates(rng: Random) -> Drawn:
    steep = rng.choice([1.0, 2.0])
    rates = {"small": 0.02 / steep, "large": 0.12 / steep, "too large": 1.03 / steep}
    x = torch.tensor([[math.sqrt(steep)]]).double()
    runs = {
        name: linear.train(
            x, x * 0, weight=x * 0 + 1, bias=torch.zeros(1).double(), loss="squared",
            learning_rate=rate / (1 + 1 / steep), steps=11,
        )[2].tolist()
        for name, rate in rates.items()
    }  # fmt: skip
    letters = rng.sample("ABC", 3)
    named = dict(zip(letters, runs, strict=True))
    wanted = rng.choice(list(runs))
    right = next(one for one, name in named.items() if name == wanted)
    said = {"small": "smallest", "large": "middle", "too large": "largest"}[wanted]
    return Drawn(
        text="One linear model is trained from the same start by gradient descent with three learning "
        f"rates. Which curve belongs to the {said} of them?",
        figure=curves(
            {one: runs[named[one]] for one in sorted(named)}, x="step", y="loss", log=True,
            alt="Three losses over 10 steps: one rises, one falls slowly, one falls fast and stays low.",
        ),
        answer=right,
        wrong=[one for one in letters if one != right],
        steps=(
            ("With the largest rate each step overshoots the minimum by more than the last one, and "
             "the loss grows.", 1),
            (f"Of the two that fall, the smaller rate falls more slowly. The {said} rate is {right}.", 1),
        ),
    )  # fmt: skip


@question("derive", "logistic-regression", 5)
def logistic_gradient(rng: Random) -> Drawn:
    odds, y, x = rng.choice([1, 3, 4, 9]), rng.choice([0, 1]), rng.choice([2, 5, 10])
    z = torch.tensor([[math.log(odds)]], dtype=torch.float64, requires_grad=True)
    loss = linear.logistic_loss(z, torch.tensor([[float(y)]]).double())
    slope = torch.autograd.grad(loss, z)[0].item()
    return Drawn(
        text="Derive $\\partial L / \\partial z$ of the logistic loss of one example, "
        f"$L = \\ln(1 + e^z) - y z$. Then evaluate $\\partial L / \\partial w$ for $z = w x = \\ln {odds}$, "
        f"$x = {x}$ and $y = {y}$.",
        answer=f"$\\sigma(z) - y = {num(slope)}$, and $\\partial L / \\partial w = {num(slope * x)}$",
        steps=(
            (
                "The derivative of $\\ln(1 + e^z)$ is $e^z / (1 + e^z) = \\sigma(z)$; that of $y z$ is $y$.",
                2,
            ),
            (f"$\\sigma(\\ln {odds}) = {odds}/{odds + 1} = {num(odds / (odds + 1))}$", 1),
            (f"$(\\sigma(z) - y)\\, x = {num(slope)} \\cdot {x} = {num(slope * x)}$", 1),
        ),
    )


@question("short", "log-sum-exp", 3, public=True)
def softmax_by_hand(rng: Random) -> Drawn:
    parts, shift = rng.sample([1, 2, 3, 4, 5], 3), rng.choice([100, 500, 1000])
    p = linear.softmax(torch.tensor([math.log(one) for one in parts]).double())
    total = sum(parts)
    logs = ", ".join(f"{shift} + \\ln {one}" for one in parts)
    return Drawn(
        text=f"Compute the softmax of the scores $({logs})$. Why does a program that takes the "
        "exponentials first fail?",
        answer=f"$p = {table(p)}$; $e^{{{shift}}}$ overflows in float32",
        steps=(
            (f"The {shift} cancels in the quotient: subtract it from all scores.", 1),
            (f"$p = ({', '.join(f'{one}/{total}' for one in parts)})$", 1),
            (f"In float32 numbers end near $e^{{88.7}}$: $e^{{{shift}}}$ is infinite, and the quotient of "
             "infinities is not a number.", 1),
        ),
    )  # fmt: skip


@question("derive", "log-sum-exp", 6)
def bounds_of_log_sum_exp(rng: Random) -> Drawn:
    count, top = rng.choice([2, 4, 8, 10]), rng.randint(2, 9)
    most = linear.log_sum_exp(torch.full((count,), float(top)).double()).item()
    return Drawn(
        text=f"Of {count} scores the largest is {top}. Show between which two numbers their log-sum-exp "
        "lies. For which scores does it come to the upper one?",
        answer=f"between {top} and ${top} + \\ln {count} = {num(most, 2)}$; the upper one if all are equal",
        steps=(
            ("$\\ln \\sum_k e^{z_k} = m + \\ln \\sum_k e^{z_k - m}$ with the largest score $m$", 1),
            (f"One term of the sum is $e^0 = 1$ and the others are positive: the sum is above 1, and "
             f"log-sum-exp above {top}.", 2),
            (f"No term exceeds 1, so the sum is at most {count}: at most ${top} + \\ln {count}$, if all "
             f"scores are {top}.", 2),
        ),
    )  # fmt: skip


@question("short", "cross-entropy", 4)
def cross_entropy_by_hand(rng: Random) -> Drawn:
    parts = [rng.sample([1, 2, 3, 4, 6], 3) for _ in range(2)]
    labels = [rng.randrange(3) for _ in range(2)]
    z = torch.tensor([[math.log(one) for one in row] for row in parts]).double()
    loss = linear.cross_entropy(z, torch.tensor(labels)).item()
    shares = [f"{row[y]}/{sum(row)}" for row, y in zip(parts, labels, strict=True)]
    rows = " \\\\ ".join(" & ".join(f"\\ln {one}" for one in row) for row in parts)
    return Drawn(
        text=f"Two examples have the scores $\\begin{{pmatrix}} {rows} \\end{{pmatrix}}$ and the labels "
        f"${table(labels)}$, counted from 0. Write their cross-entropy as one logarithm.",
        answer=f"$-\\tfrac{{1}}{{2}} \\ln({shares[0]} \\cdot {shares[1]}) = {num(loss)}$ nats",
        steps=(
            (f"The probabilities of the right classes are {shares[0]} and {shares[1]}.", 2),
            ("The loss is the mean of their negative logarithms.", 1),
        ),
    )


@question("short", "cross-entropy", 5, public=True)
def gradient_by_hand(rng: Random) -> Drawn:
    parts, y = rng.choice([[1, 1, 2], [1, 2, 2], [1, 4, 5], [2, 3, 5]]), rng.randrange(3)
    x = [rng.choice([0, 1, 2, 10]), rng.choice([1, 5])]
    z = torch.tensor([[math.log(one) for one in parts]]).double()
    slope = linear.cross_entropy_gradient(z, torch.tensor([y]))[0]
    product = slope[:, None] * torch.tensor(x).double()
    p = [num(one / sum(parts)) for one in parts]
    return Drawn(
        text=f"A softmax gives the probabilities $({', '.join(p)})$ for the input $x = {table(x)}$; the "
        f"right class is {y}, counted from 0. Compute the gradients of the cross-entropy with respect to "
        "the scores and to $W$.",
        answer=f"$\\partial L/\\partial z = {table(slope)}$, $\\partial L/\\partial W = {table(product)}$",
        steps=(
            (f"$p - y = {table(slope)}$: 1 is subtracted at class {y}.", 2),
            (f"Each entry times $x^\\top$: $\\partial L/\\partial W = {table(product)}$", 2),
        ),
    )


@question("mistake", "cross-entropy", 6)
def gradient_mistake(rng: Random) -> Drawn:
    z = [[math.log(one) for one in rng.sample([1, 2, 4, 5], 2)] for _ in range(2)]
    labels = [rng.randrange(2) for _ in range(2)]
    rows = " \\\\ ".join(" & ".join(f"\\ln {round(math.exp(one))}" for one in row) for row in z)
    return which_mistake(
        rng,
        "linear.cross_entropy_gradient",
        {"input": z, "target": labels},
        ["not_divided_by_examples", "truth_minus_prediction", "softmax_over_examples",
         "divided_by_all_entries"],
        text="A student's `cross_entropy_gradient` was called with the scores "
        f"$\\begin{{pmatrix}} {rows} \\end{{pmatrix}}$, a row for each example, and the labels "
        f"${table(labels)}$.",
    )  # fmt: skip


@question("short", "support-vector-machine", 3, public=True)
def hinge_by_hand(rng: Random) -> Drawn:
    z = [rng.choice([-1.0, 0.0, 0.5, 1.5, 2.0, 3.0]) for _ in range(3)]
    y = rng.randrange(3)
    loss = linear.hinge_loss(torch.tensor([z]).double(), torch.tensor([y])).item()
    rival = max(one for place, one in enumerate(z) if place != y)
    return Drawn(
        text=f"Scores are ${table(z)}$, and the right class is {y}, counted from 0. What is the hinge "
        "loss with a margin of 1? Does this example contribute a gradient?",
        answer=f"{num(loss)}; " + ("no" if loss == 0 else "yes"),
        steps=(
            (f"The right class leads its strongest rival by ${num(z[y])} - ({num(rival)}) = "
             f"{num(z[y] - rival)}$.", 1),
            (f"$\\max(0,\\ 1 - ({num(z[y] - rival)})) = {num(loss)}$", 1),
            ("A gradient comes only from a lead below the margin.", 1),
        ),
    )  # fmt: skip


@question("short", "hyperparameters", 3)
def chosen_on_development_data(rng: Random) -> Drawn:
    train = [99, 98, 96, 91]
    dev, test = rng.sample(range(86, 95), 4), rng.sample(range(85, 95), 4)
    lambdas = ["0", "0.001", "0.01", "0.1"]
    best = dev.index(max(dev))
    rows = "".join(
        f"\n| {name} | {a} | {b} | {c} |"
        for name, a, b, c in zip(lambdas, train, dev, test, strict=True)
    )
    by_test = test.index(max(test))
    return Drawn(
        text="Four values of λ were tried. Accuracies in percent:\n\n| λ | training | development | test |"
        f"\n|:--|--:|--:|--:|{rows}\n\nWhich λ is chosen, and which accuracy is reported for it?",
        answer=f"λ = {lambdas[best]}, {test[best]}%",
        wrong=[f"λ = {lambdas[best]}, {dev[best]}%", f"λ = {lambdas[by_test]}, {max(test)}%", "λ = 0, 99%"],
        steps=(
            (f"Development data choose: λ = {lambdas[best]} has the highest accuracy there.", 1),
            (f"They have been used to choose, so test data report: {test[best]}%.", 1),
        ),
    )  # fmt: skip
