"""Questions on diffusion and flow matching."""

from __future__ import annotations

from random import Random

from grader.questions import Drawn, apart, question
from grader.questions.curves import curves
from grader.questions.kinds import prints, tensor, which_mistake
from grader.questions.shown import num
from solutions import diffusion


@question("short", "score", 4, public=True)
def score_of_a_gaussian(rng: Random) -> Drawn:
    mean, variance = rng.choice([1, 2, -1]), rng.choice([0.5, 2, 4])
    x = mean + rng.choice([-3, -2, 2, 3])
    found = diffusion.gaussian_score(tensor([float(x)]), tensor([float(mean)]), tensor([variance]))
    return Drawn(
        text=f"A Gaussian of one variable has the mean ${mean}$ and the variance ${num(variance)}$. What is its score at $x = {x}$? How does the score change if "
        "the density is multiplied by 3?",
        answer=f"${num(found)}$; it does not change",
        steps=(
            (f"The score is $(m - x) / v = ({mean} - ({x})) / {num(variance)} = {num(found)}$.", 2),
            ("A factor is a constant in the logarithm, and has no gradient.", 1),
        ),
    )


@question("short", "score", 5)
def score_between_two(rng: Random) -> Drawn:
    first, second = rng.choice([(0.8, 0.2), (0.6, 0.4), (0.9, 0.1)])
    far = rng.choice([1, 2, 3])
    weights, means = tensor([first, second]), tensor([[-float(far)], [float(far)]])
    found = diffusion.mixture_score(tensor([[0.0]]), weights, means, tensor([1.0, 1.0]))
    apart(num(found), "0")
    return Drawn(
        text=f"A mixture of one variable has two components of variance 1, with the means $-{far}$ and ${far}$ and the weights {first} and {second}. What is its score "
        "at 0? In which direction does it point?",
        answer=f"${num(found)}$; toward the component of weight {first}",
        steps=(
            (f"At 0 both components have the same density, so the responsibilities are {first} and {second}.", 2),
            (f"${first} \\cdot (-{far}) + {second} \\cdot {far} = {num(found)}$", 2),
        ),
    )  # fmt: skip


@question("short", "langevin-dynamics", 4)
def shares_of_clusters(rng: Random) -> Drawn:
    left, start = rng.choice([90, 80, 70]), rng.choice([50, 40, 30])
    return Drawn(
        text=f"Two clusters lie far apart, and {left}% of the data are in the left one. Langevin dynamics with the exact score starts with {start}% of its points near the left "
        "cluster and the others near the right one, and takes a few hundred small steps. About which share of the points is in the left cluster at the end? Why?",
        answer=f"{start}%; no point crosses the region of low density between the clusters",
        wrong=[
            f"{left}%; the score is exact, so the samples are, too",
            f"{100 - left}%; the score points away from the larger cluster",
            "100%; all points climb to the highest maximum",
        ],
        steps=(
            ("Within a cluster, the points spread as the density does.", 1),
            (f"Hardly any point crosses between them, so the left cluster keeps its {start}%.", 2),
        ),
    )


@question("short", "forward-process", 4, public=True)
def noised_variance(rng: Random) -> Drawn:
    signal, noise = rng.choice([(0.6, 0.8), (0.8, 0.6), (0.5, 0.5)])
    mean, variance = rng.choice([2, 3, 5]), rng.choice([0.25, 2, 4])
    _, means, variances = diffusion.diffuse_mixture(
        tensor([1.0]), tensor([[float(mean)]]), tensor([variance]), tensor([signal, noise])
    )
    apart(num(variances[0]), num(variance))
    return Drawn(
        text=f"$x_0$ has the mean {mean} and the variance {num(variance)}, and $x_t = {signal}\\, x_0 + {noise}\\, \\varepsilon$ with standard normal noise. What are the mean and the variance of $x_t$?",
        answer=f"{num(means[0])} and {num(variances[0])}",
        steps=(
            (f"Mean: ${signal} \\cdot {mean} = {num(means[0])}$", 1),
            (f"Variance: ${signal}^2 \\cdot {num(variance)} + {noise}^2 = {num(variances[0])}$", 2),
        ),
    )


@question("mistake", "forward-process", 5, public=True)
def noised_mistake(rng: Random) -> Drawn:
    signal, noise = rng.choice([(0.6, 0.8), (0.8, 0.6)])
    mean, variance = rng.choice([2.0, 3.0, 5.0]), rng.choice([0.25, 2.0, 4.0])
    return which_mistake(
        rng,
        "diffusion.diffuse_mixture",
        {
            "weights": [1.0],
            "means": [[mean]],
            "variances": [variance],
            "level": [signal, noise],
        },
        ["signal_not_squared", "noise_not_squared", "variances_not_scaled", "levels_swapped"],
        text=f"A student computed the distribution of $x_t = a x_0 + s \\varepsilon$ with signal $a = {signal}$ and noise $s = {noise}$, where $x_0$ is a Gaussian with the mean {num(mean)} and the variance {num(variance)}.",
        part=2,
        shown="The variance returned is",
    )


@question("prints", "forward-process", 4)
def product_of_betas(rng: Random) -> Drawn:
    kept = rng.choice([0.5, 0.2, 0.8])
    return prints(
        f"""beta, kept = {round(1 - kept, 1)}, 1.0
for step in range(3):
    kept = kept * (1 - beta)
print(round(kept, 3))
print(round(kept ** 0.5, 3))""",
        (f"Each step multiplies the squared signal by 1 − β = {kept}.", 1),
        ("After three steps the squared signal is the product of the three factors.", 1),
        ("The signal itself is the root of the product.", 1),
    )


@question("short", "denoising-score", 5, public=True)
def clean_by_tweedie(rng: Random) -> Drawn:
    signal, noise = rng.choice([(0.6, 0.8), (0.8, 0.6), (0.5, 0.5)])
    noisy, score = rng.choice([1, 2, 3]), rng.choice([-2, -1, 1, 2])
    levels = tensor([signal, noise])
    clean = diffusion.tweedie(tensor([float(noisy)]), tensor([float(score)]), levels)
    drawn = -noise * score
    return Drawn(
        text=f"At the level with signal {signal} and noise {noise}, a noisy example of one number is $x_t = {noisy}$, and the score there is {score}. What are the mean of the clean example, and the "
        "mean of the noise $\\varepsilon$, given $x_t$?",
        answer=f"${num(clean)}$ and ${num(drawn)}$",
        steps=(
            (f"Clean: $({noisy} + {noise}^2 \\cdot ({score})) / {signal} = {num(clean)}$", 3),
            (f"Noise: $-{noise} \\cdot ({score}) = {num(drawn)}$", 1),
        ),
    )


@question("curve", "denoising-score", 3)
def least_loss(rng: Random) -> Drawn:
    steep = rng.choice([2, 3, 4])
    falls = [max(1 - (level / 10) ** (1 / steep), 0.01) for level in range(1, 11)]
    named = dict(zip(rng.sample("AB", 2), (falls, falls[::-1]), strict=True))
    right = next(letter for letter, one in named.items() if one is falls)
    return Drawn(
        text="One of the two curves is the loss that the best possible model has if it predicts the noise, at each noise level. Which one, and why?",
        figure=curves(
            {one: named[one] for one in sorted(named)}, x="noise level", y="loss",
            alt="A falling and a rising curve.",
        ),
        answer=f"{right}: with much noise, the input is nearly the noise itself",
        steps=(
            ("With little noise, it cannot be told from the variation of the data, and the loss is near 1.", 1),
            (f"With nothing but noise, the input is the noise, and the loss is near 0: curve {right}.", 1),
        ),
    )  # fmt: skip


@question("short", "reverse-process", 5, public=True)
def step_of_ddim(rng: Random) -> Drawn:
    now, then = rng.choice([((0.6, 0.8), (0.8, 0.6)), ((0.5, 0.5), (0.75, 0.25))])
    noisy, clean = rng.choice([1, 2, 3]), rng.choice([-1, 0, 4])
    levels = tensor(list(now)), tensor(list(then))
    found = diffusion.reverse_step(tensor([float(noisy)]), tensor([float(clean)]), *levels)
    drawn = (noisy - now[0] * clean) / now[1]
    apart(num(found), num(noisy), num(clean), "0")
    return Drawn(
        text=f"A sampler is at $x_t = {noisy}$, with signal {now[0]} and noise {now[1]}, and the denoiser's guess of the clean example is {clean}. The next level has signal {then[0]} and noise {then[1]}. Where does a step without fresh noise lead?",
        answer=f"${num(found)}$",
        steps=(
            (f"The noise in $x_t$ is $({noisy} - {now[0]} \\cdot ({clean})) / {now[1]} = {num(drawn)}$.", 2),
            (f"${then[0]} \\cdot ({clean}) + {then[1]} \\cdot ({num(drawn)}) = {num(found)}$", 2),
        ),
    )  # fmt: skip


@question("short", "flow-matching", 4)
def velocity(rng: Random) -> Drawn:
    clean, drawn, time = (
        rng.choice([2, 4, -2]),
        rng.choice([-1, 1, 3]),
        rng.choice([0.25, 0.5, 0.75]),
    )
    levels = tensor([[1 - time, time]])
    noisy = diffusion.add_noise(tensor([[float(clean)]]), tensor([[float(drawn)]]), levels)
    apart(num(noisy), str(clean), str(drawn), num(drawn - clean))
    return Drawn(
        text=f"In flow matching, time runs from data ($t = 0$) to noise ($t = 1$). An example is $x_0 = {clean}$, and its noise is $\\varepsilon = {drawn}$. What are the input and the target of the network at "
        f"$t = {time}$? Where does an Euler step from there to $t = 0$ lead, if the network predicts the target exactly?",
        answer=f"${num(noisy)}$ and ${drawn - clean}$; to ${clean}$",
        steps=(
            (f"Input: $(1 - {time}) \\cdot ({clean}) + {time} \\cdot ({drawn}) = {num(noisy)}$", 1),
            (f"Target: $\\varepsilon - x_0 = {drawn - clean}$", 1),
            (f"${num(noisy)} - {time} \\cdot ({drawn - clean}) = {clean}$, the example itself", 1),
        ),
    )  # fmt: skip


@question("mistake", "classifier-free-guidance", 4, public=True)
def guidance_mistake(rng: Random) -> Drawn:
    given, without = rng.sample([1.0, 2.0, 3.0, 5.0], 2)
    weight = rng.choice([1.5, 2.5, 3.0])
    return which_mistake(
        rng,
        "diffusion.guided",
        {"conditional": [given], "unconditional": [without], "weight": weight},
        ["predictions_swapped", "difference_alone", "label_on_top", "mean_of_both"],
        text=f"With a label, a network predicts {num(given)}, and without it {num(without)}. A student applied classifier-free guidance with the weight $w = {num(weight)}$, where $w = 1$ uses the label as learned.",
    )


@question("short", "masked-diffusion", 5)
def pairs_that_agree(rng: Random) -> Drawn:
    symbols, steps = rng.choice([2, 4, 5, 10]), rng.choice([2, 4, 5])
    share = 1 - (1 - 1 / symbols) / steps
    return Drawn(
        text=f"Texts have two tokens, which are always the same one of {symbols} equally frequent symbols. An exact network unmasks texts in {steps} equal steps: each token becomes visible in a random one of "
        "them. Which share of the samples has two equal tokens? How could it be 1?",
        answer=f"{num(share)}; if one token becomes visible at a time",
        steps=(
            (f"Both become visible in the same step with probability $1/{steps}$.", 1),
            (f"Then they are drawn independently, and agree with probability $1/{symbols}$: $1 - \\frac{{1}}{{{steps}}} (1 - \\frac{{1}}{{{symbols}}}) = {num(share)}$.", 2),
            ("If the tokens are drawn one after the other, the second is a copy of the first.", 1),
        ),
    )  # fmt: skip


@question("prints", "masked-diffusion", 4)
def unmasked_share(rng: Random) -> Drawn:
    levels = rng.choice([[1.0, 0.75, 0.25, 0.0], [1.0, 0.5, 0.25, 0.0], [1.0, 0.8, 0.2, 0.0]])
    return prints(
        f"""levels = {levels}
for now, then in zip(levels, levels[1:]):
    print(round((now - then) / now, 3))""",
        (
            "Each number is the probability with which a hidden token becomes visible in this step.",
            1,
        ),
        ("It is the part of the hidden share that disappears between the two levels.", 1),
        (
            "In the last step everything that is still hidden becomes visible: the probability is 1.",
            1,
        ),
    )
