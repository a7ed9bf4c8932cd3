"""Right and wrong answers to `diffusion.tweedie`."""

import torch

from grader.author.answers import right, wrong
from solutions.diffusion import spread


@right
def through_the_noise(noisy, score, levels):
    signal, noise = spread(levels, noisy)
    predicted = -noise * score
    return noisy / signal - noise / signal * predicted


@right
def one_by_one(noisy, score, levels):
    levels = levels.expand(len(noisy), 2).unbind()
    rows = zip(noisy, score, levels, strict=True)
    return torch.stack([(x + level[1] ** 2 * s) / level[0] for x, s, level in rows])


wrong(
    "noise_not_squared",
    why=(
        "The score is multiplied by s. The noise is −s times the score, and s times that noise is "
        "taken off: s² in all."
    ),
    change={"noise.square() * score": "noise * score"},
)


wrong(
    "against_the_score",
    why="You went against the score; clean examples lie uphill, where the density is higher.",
    change={"noisy + noise": "noisy - noise"},
)


wrong(
    "signal_not_undone",
    why="The result is not divided by the signal: it is an estimate of a x_0, not of x_0.",
    change={" / signal": " + 0 * signal"},
)


wrong(
    "multiplied_by_the_signal",
    why="You multiplied by the signal a second time; divide by it.",
    change={" / signal": " * signal"},
)


wrong(
    "signal_of_the_noisy_alone",
    why="Only x_t is divided by the signal; the step along the score has to be, too.",
    change={"(noisy + noise.square() * score) / signal": "noisy / signal + noise.square() * score"},
)


wrong(
    "score_taken_for_noise",
    why="The score was used as if it were the noise; the noise is −s times the score.",
    change={"noisy + noise.square() * score": "noisy - noise * score"},
)


wrong(
    "levels_swapped",
    why="Signal and noise are swapped; a level is (a, s), the signal first.",
    change={"signal, noise = spread": "noise, signal = spread"},
)
