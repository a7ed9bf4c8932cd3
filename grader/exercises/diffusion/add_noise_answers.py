"""Right and wrong answers to `diffusion.add_noise`."""

import torch

from grader.author.answers import right, wrong
from solutions.diffusion import spread


@right
def axes_turned(clean, draws, levels):
    signal, noise = levels[..., 0], levels[..., 1]
    last = clean.movedim(0, -1)  # (..., B)
    return (signal * last + noise * draws.movedim(0, -1)).movedim(-1, 0)


@right
def one_by_one(clean, draws, levels):
    levels = levels.expand(len(clean), 2)
    rows = zip(clean, draws, levels, strict=True)
    return torch.stack([level[0] * x + level[1] * e for x, e, level in rows])


wrong(
    "one_level_for_the_batch",
    why="Every example gets the level of the first; each has its own.",
    change={"spread(levels, clean)": "spread(levels[:1] if levels.ndim == 2 else levels, clean)"},
)


@wrong(
    why=(
        "(B,) was multiplied with (B, D) directly: the level of example i went to feature i. Add "
        "the missing axes at the end."
    )
)
def along_the_features(clean, draws, levels):
    signal, noise = levels[..., 0], levels[..., 1]
    if signal.ndim and signal.shape[0] != clean.shape[-1]:
        signal, noise = spread(levels, clean)
    return signal * clean + noise * draws


wrong(
    "noise_from_the_signal",
    why=(
        "The noise is computed as √(1 − a²). That holds on one kind of table; use the s that is "
        "given."
    ),
    change={"noise * draws": "(1 - signal**2).sqrt() * draws"},
)


wrong(
    "levels_swapped",
    why="Signal and noise are swapped; a level is (a, s), the signal first.",
    change={"signal, noise = spread": "noise, signal = spread"},
)


wrong(
    "noise_squared",
    why="The draws are multiplied by s², the variance; multiplied by s they have that variance.",
    change={"noise * draws": "noise**2 * draws"},
)


wrong(
    "signal_with_a_root",
    why="The signal is already a root; you took it again.",
    change={"signal * clean": "signal.sqrt() * clean"},
)


wrong(
    "noise_shrinks_too",
    why="The signal multiplies the noise as well; it belongs to x_0 alone.",
    change={"signal * clean + noise * draws": "signal * (clean + noise * draws)"},
)


wrong(
    "signal_not_shrunk",
    why="The clean example is not multiplied by the signal: noise on top of it never drowns it.",
    change={"signal * clean": "clean + 0 * signal"},
)
