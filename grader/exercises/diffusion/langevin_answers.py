"""Right and wrong answers to `diffusion.langevin`."""

import math

import torch

from grader.author.answers import right, wrong


@right
def counted(points, score, step, draws):
    x, scale = points.clone(), math.sqrt(2.0 * step)
    for number in range(len(draws)):
        x = x + scale * draws[number] + step * score(x)
    return x


@right
def fused(points, score, step, draws):
    x = points
    for kick in torch.unbind((2 * step) ** 0.5 * draws):
        x = torch.add(x + kick, score(x), alpha=step)
    return x


wrong(
    "noise_too_small",
    why=(
        "The noise is scaled by √h; with a step of h along the score it has to be √(2h), or the "
        "points end in a density that is too narrow."
    ),
    change={"(2 * step) ** 0.5": "step**0.5"},
)


wrong(
    "noise_without_a_root",
    why=(
        "The noise is scaled by 2h, and not by its root. Variances add up, deviations do not: with "
        "small steps this noise vanishes."
    ),
    change={"(2 * step) ** 0.5": "2 * step"},
)


wrong(
    "downhill",
    why="The points go against the score, to where the density is lowest.",
    change={"points + step * score": "points - step * score"},
)


wrong(
    "no_noise",
    why="Without noise this is gradient ascent: all points end on the peaks.",
    change={" + (2 * step) ** 0.5 * draw": " + 0 * draw"},
)


wrong(
    "half_a_step",
    why=(
        "The score is multiplied by h/2. With that, the noise would be √h: another convention for "
        "the step. Here it is h with √(2h)."
    ),
    change={"step * score(points)": "step / 2 * score(points)"},
)


@wrong(
    why=(
        "The score is computed once, at the start. It changes as the points move: compute it in "
        "every step."
    )
)
def score_of_the_start(points, score, step, draws):
    uphill = score(points)
    for draw in draws:
        points = points + step * uphill + (2 * step) ** 0.5 * draw
    return points


@wrong(why="You added the noise before computing the score; both belong to the same point.")
def noise_first(points, score, step, draws):
    for draw in draws:
        points = points + (2 * step) ** 0.5 * draw
        points = points + step * score(points)
    return points


wrong(
    "one_draw_for_all_steps",
    why="Every step adds the same noise, which pushes in one direction and does not average out.",
    change={"** 0.5 * draw": "** 0.5 * draws[0]"},
)
