"""Questions on generative models."""

from __future__ import annotations

import math
from random import Random

import torch

from grader.questions import Drawn, apart, question
from grader.questions.curves import curves
from grader.questions.kinds import prints, tensor, which_mistake
from grader.questions.shown import logarithms, num, table
from solutions import generative


@question("short", "questions", 3, public=True)
def smoothed_prior(rng: Random) -> Drawn:
    counts, alpha = [rng.randint(1, 6), rng.randint(1, 6), 0], rng.choice([1, 2])
    labels = torch.tensor([c for c, n in enumerate(counts) for _ in range(n)])
    prior = generative.log_prior(labels, classes=3, smoothing=float(alpha)).double().exp()
    total = sum(counts)
    return Drawn(
        text=f"Of {total} training examples, {counts[0]}, {counts[1]} and {counts[2]} are of the three "
        f"classes. Compute $p(y)$ with a smoothing of {alpha} per class, and without smoothing. What does "
        "the last class get without it?",
        answer=f"${table(prior)}$; without smoothing {counts[0]}/{total}, {counts[1]}/{total} and 0",
        steps=(
            (
                f"$({counts[0]} + {alpha}) / ({total} + 3 \\cdot {alpha})$, and so on: ${table(prior)}$",
                2,
            ),
            (
                "A class that was never seen has the probability 0, so no input can be assigned to it.",
                1,
            ),
        ),
    )


@question("short", "inference", 5, public=True)
def posterior(rng: Random) -> Drawn:
    prior = rng.choice([[0.5, 0.5], [0.2, 0.8], [0.1, 0.9], [0.25, 0.75]])
    like = [rng.choice([0.6, 0.8, 0.9]), rng.choice([0.1, 0.2, 0.3])]
    found = generative.log_posterior(tensor(like).log(), tensor(prior).log()).exp()
    joint = [a * b for a, b in zip(prior, like, strict=True)]
    apart(*map(num, joint))  # a tie has no likelier class
    return Drawn(
        text=f"Two classes have the prior ${table(prior)}$. An input has the densities $p(x \\mid y) = "
        f"{table(like)}$. Compute $p(x)$ and $p(y \\mid x)$. Which class is chosen, and which would be "
        "without the prior?",
        answer=f"$p(x) = {num(sum(joint))}$, $p(y \\mid x) = {table(found)}$; class "
        f"{int(found.argmax())}, without the prior class 0",
        steps=(
            (f"$p(x, y) = p(x \\mid y)\\, p(y) = {table(joint)}$", 1),
            (f"$p(x) = {num(sum(joint))}$ is their sum.", 1),
            (f"Divided by it: ${table(found)}$", 1),
            ("The largest density alone would choose class 0.", 1),
        ),
    )


@question("mistake", "inference", 5)
def posterior_mistake(rng: Random) -> Drawn:
    like, prior = rng.choice([[3, 1], [1, 4], [2, 1]]), rng.choice([[1, 3], [1, 4], [2, 3]])
    share = [one / sum(prior) for one in prior]
    return which_mistake(
        rng,
        "generative.log_posterior",
        {"log_likelihood": logarithms([like]), "log_prior": tensor(share).log()},
        ["prior_forgotten", "not_normalized", "prior_after_normalizing"],
        text=f"A student's `log_posterior` was called with $p(x \\mid y) = {table(like)}$ (densities may exceed "
        f"1) and $p(y) = {table(share, 2)}$. The exponentials of its result are shown.",
        view=torch.exp,
    )


@question("derive", "linear-form", 6)
def linear_form(rng: Random) -> Drawn:
    mean, variance = [rng.choice([0, 1, 2]), rng.choice([3, 4, 6])], rng.choice([1, 2])
    W, b = generative.gaussian_linear_form(
        tensor([0.5, 0.5]).log(),
        tensor([[float(one)] for one in mean]),
        tensor([[float(variance)]]),
    )
    w, c = (W[1] - W[0]).item(), (b[1] - b[0]).item()
    line = f"{num(w)} \\cdot x - {num(-c)}" if w != 1 else f"x - {num(-c)}"
    return Drawn(
        text=f"Two classes have Gaussian densities of one feature with the means {mean[0]} and {mean[1]}, the "
        f"same variance {variance}, and the same prior. Show that $\\ln p(y = 1 \\mid x) - \\ln p(y = 0 \\mid "
        "x)$ is linear in $x$. Where does the decision change?",
        answer=f"${line}$, which changes its sign at $x = {num(-c / w)}$",
        steps=(
            (f"The difference is $\\bigl[(x - {mean[0]})^2 - (x - {mean[1]})^2\\bigr] / (2 \\cdot {variance})$; "
             "the normalizers and priors cancel.", 2),
            ("The squares of $x$ cancel as well, because the variances are equal.", 2),
            (f"What is left is ${line}$, zero midway between the means.", 1),
        ),
    )  # fmt: skip


@question("short", "zero-counts", 4, public=True)
def smoothed_coins(rng: Random) -> Drawn:
    n, ones, alpha = rng.choice([4, 8, 10]), rng.choice([0, 1, 2]), 1
    x = torch.tensor([[1.0]] * ones + [[0.0]] * (n - ones))
    p = generative.fit_bernoulli(
        x, torch.zeros(n, dtype=torch.int64), classes=1, smoothing=float(alpha)
    )
    return Drawn(
        text=f"A pixel is on in {ones} of {n} training pictures of a class. Estimate its probability with and "
        "without Laplace smoothing (α = 1). What does an estimate of 0 do to a new picture in which the pixel "
        "is on?",
        answer=f"{ones + alpha}/{n + 2 * alpha} = {num(p.item())}, and {ones}/{n}; the class becomes impossible",
        steps=(
            (f"$({ones} + 1) / ({n} + 2)$: one more picture with the pixel, and one without.", 2),
            ("A factor of 0 makes the whole product 0, whatever the other pixels say.", 1),
        ),
    )


@question("mistake", "zero-counts", 5, public=True)
def smoothing_mistake(rng: Random) -> Drawn:
    ones, zeros = rng.randint(1, 3), rng.randint(2, 5)
    x = [[1.0]] * ones + [[0.0]] * zeros
    return which_mistake(
        rng,
        "generative.fit_bernoulli",
        {"features": x, "labels": [0] * (ones + zeros), "classes": 1, "smoothing": 1.0},
        ["alpha_once_below", "alpha_after_dividing", "alpha_below_alone"],
        text=f"A student's `fit_bernoulli` was called for one class with α = 1. Its feature is 1 in {ones} of "
        f"{ones + zeros} examples.",
    )


@question("short", "density", 4)
def density_of_a_gaussian(rng: Random) -> Drawn:
    mean, s = [rng.randint(0, 3) for _ in range(2)], rng.choice([1, 4])
    x = [one + rng.choice([-2, 0, 2, 4]) for one in mean]
    found = generative.gaussian_log_density(
        *(tensor([[float(v) for v in one]]) for one in (x, mean, [s, s]))
    ).item()
    square = sum((a - b) ** 2 for a, b in zip(x, mean, strict=True))
    return Drawn(
        text=f"Two independent Gaussian features have the means ${table(mean)}$ and the variance {s} each. Write "
        f"$\\ln p(x)$ for $x = {table(x)}$ as a number less $\\ln 2\\pi$ and $\\ln {s}$. How does it change "
        "if the second feature is missing?",
        answer=f"$-{num(square / (2 * s))} - \\ln 2\\pi - \\ln {s} = {num(found)}$; its term is left out",
        steps=(
            ("Each feature contributes $-\\tfrac{1}{2} [\\ln(2\\pi s) + (x - m)^2 / s]$.", 1),
            (f"The squares sum to {square}: $-{square} / (2 \\cdot {s})$.", 1),
            (
                "To integrate over a missing feature leaves out its factor, which integrates to 1.",
                1,
            ),
        ),
    )


@question("mistake", "density", 5)
def density_mistake(rng: Random) -> Drawn:
    x, m, s = float(rng.choice([2, 4, 6])), 0.0, float(rng.choice([4, 16]))
    return which_mistake(
        rng,
        "generative.gaussian_log_density",
        {"input": [[x]], "mean": [[m]], "variance": [[s]]},
        [
            "variance_taken_for_deviation",
            "no_normalizer",
            "two_pi_forgotten",
            "log_of_variance_not_halved",
        ],
        text=f"A student's `gaussian_log_density` was called with one feature: $x = {num(x)}$, mean 0, variance "
        f"{num(s)}. ($\\ln 2\\pi = 1.838$, $\\ln 4 = 1.386$, $\\ln 16 = 2.773$)",
        places=2,
    )


@question("short", "filling-in", 4, public=True)
def filled_in(rng: Random) -> Drawn:
    p = rng.choice([[0.2, 0.8], [0.6, 0.4], [0.9, 0.1], [0.25, 0.75]])
    m = [rng.choice([0, 2]), rng.choice([8, 10, 20])]
    found = generative.fill_in(
        tensor([[5.0, 0.0]]), tensor([p]).log(), tensor([[1.0, float(m[0])], [1.0, float(m[1])]]),
        observed=torch.tensor([[True, False]]),
    )[0, 1].item()  # fmt: skip
    best = m[p.index(max(p))]
    return Drawn(
        text=f"A feature is missing. The features that are seen give $p(y \\mid \\text{{seen}}) = {table(p)}$; "
        f"the means of the missing feature in the two classes are {m[0]} and {m[1]}. What does naive Bayes "
        "fill in?",
        answer=f"{num(found)}",
        wrong=[one for one in dict.fromkeys([f"{best}", num(sum(m) / 2), num(m[0] * p[1] + m[1] * p[0])])
               if one != num(found)],
        steps=(
            ("Given the class, the features are independent: what is seen speaks through the class alone.", 1),
            (f"${num(p[0])} \\cdot {m[0]} + {num(p[1])} \\cdot {m[1]} = {num(found)}$", 1),
        ),
    )  # fmt: skip


@question("prints", "sampling", 4)
def cut_interval(rng: Random) -> Drawn:
    p = rng.choice([[0.2, 0.5, 0.3], [0.6, 0.1, 0.3], [0.1, 0.3, 0.6]])
    u = rng.choice([0.05, 0.35, 0.65, 0.95])
    label = generative.draw_labels(torch.tensor([u]).double(), tensor(p).log()).item()
    ends = [num(sum(p[: n + 1]), 1) for n in range(3)]
    return prints(
        f"""import torch

p = torch.tensor({p})
ends = p.cumsum(0)
print((ends <= {u}).sum().item())""",
        (f"The unit interval is cut at {', '.join(ends)}.", 1),
        (f"The number {u} lies in the piece of class {label}, whose length is its probability.", 2),
    )


@question("short", "two-losses", 4)
def joint_and_conditional(rng: Random) -> Drawn:
    joint = rng.choice([[0.1, 0.3], [0.02, 0.08], [0.15, 0.05], [0.3, 0.1]])
    y = rng.randrange(2)
    z = tensor([joint]).log()
    loss = generative.joint_loss(z, torch.tensor([y])).item()
    evidence = sum(joint)
    conditional = -math.log(joint[y] / evidence)
    return Drawn(
        text=f"For one example, a model has $p(x, y) = {table(joint)}$ for the two classes; the right class is "
        f"{y}. Write the loss of generative training and the cross-entropy as logarithms. By what do they "
        "differ?",
        answer=f"$-\\ln {joint[y]} = {num(loss)}$ and $-\\ln {num(joint[y] / evidence)} = {num(conditional)}$; "
        "by $-\\ln p(x)$",
        steps=(
            (f"Generative: $-\\ln p(x, y) = -\\ln {joint[y]}$", 1),
            (f"Cross-entropy: $-\\ln p(y \\mid x)$ with $p(x) = {num(evidence)}$", 2),
            ("$\\ln p(x, y) = \\ln p(y \\mid x) + \\ln p(x)$", 1),
        ),
    )


@question("curve", "learning-curves", 3, public=True)
def learning_curves(rng: Random) -> Drawn:
    start, end = rng.choice([30, 35, 40]), rng.choice([10, 12, 14])
    fast = [end + (start - end) * math.exp(-n) for n in range(9)]
    slow = [end - 5 + (start + 8 - end) * math.exp(-n / 2.5) for n in range(9)]
    named = dict(zip(rng.sample("AB", 2), (fast, slow), strict=True))
    right = next(name for name, line in named.items() if line is fast)
    return Drawn(
        text="Naive Bayes and logistic regression can make the same predictions, and are trained differently. "
        "The figure sketches the error of two such models against the number of training examples, in the form "
        "that Ng and Jordan predict. Which curve is naive Bayes?",
        figure=curves(
            {name: named[name] for name in sorted(named)},
            x="training examples, doubling",
            y="error, %",
            alt="One curve falls fast and levels off; the other starts higher and ends lower.",
        ),
        answer=right,
        wrong=[name for name in named if name != right],
        steps=(
            (
                "The generative model reaches its final error with fewer examples, because it assumes more.",
                1,
            ),
            (
                f"With many examples the discriminative model, which assumes less, is better. So {right}.",
                1,
            ),
        ),
    )


@question("short", "overconfidence", 4)
def calibration(rng: Random) -> Drawn:
    sure, doubt = rng.choice([0.8, 0.9]), rng.choice([0.6, 0.7])
    hits = [rng.randint(1, 4), rng.randint(1, 4)]
    p = tensor([[sure, 1 - sure]] * 4 + [[doubt, 1 - doubt]] * 4)
    y = torch.tensor(
        [0 if n < hits[0] else 1 for n in range(4)] + [0 if n < hits[1] else 1 for n in range(4)]
    )
    found = generative.calibration_error(p.log(), y, bins=4).item()
    gaps = [abs(hits[0] / 4 - sure), abs(hits[1] / 4 - doubt)]
    return Drawn(
        text=f"A model answers four questions with the confidence {sure}, {hits[0]} of them correctly, and four "
        f"others with the confidence {doubt}, {hits[1]} correctly. The two groups fall into different bins. "
        "Compute the expected calibration error.",
        answer=f"{num(found)}",
        steps=(
            (f"Gaps: $|{num(hits[0] / 4)} - {sure}| = {num(gaps[0])}$ and $|{num(hits[1] / 4)} - {doubt}| = "
             f"{num(gaps[1])}$", 2),
            (f"Both bins hold half of the examples: {num(found)}.", 1),
        ),
    )  # fmt: skip
