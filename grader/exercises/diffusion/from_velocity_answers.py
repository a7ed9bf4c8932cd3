"""Right and wrong answers to `diffusion.from_velocity`."""

import torch

from grader.author.answers import right, wrong
from solutions.diffusion import spread


@right
def solved(noisy, velocity, levels, rates):
    count = len(noisy)
    matrix = torch.stack([levels.expand(count, 2), rates.expand(count, 2)], dim=1)  # (B, 2, 2)
    known = torch.stack([noisy.reshape(count, -1), velocity.reshape(count, -1)], dim=1)
    found = torch.linalg.solve(matrix, known)
    return found[:, 0].reshape(noisy.shape), found[:, 1].reshape(noisy.shape)


@right
def noise_first(noisy, velocity, levels, rates):
    (a, s), (fall, rise) = spread(levels, noisy), spread(rates, noisy)
    found = (a * velocity - fall * noisy) / (a * rise - s * fall)
    return rise / (a * rise - s * fall) * noisy - s / (a * rise - s * fall) * velocity, found


wrong(
    "straight_paths_alone",
    why=(
        "These are the formulas of straight paths, x_t − t v and x_t + (1 − t) v; in general "
        "the rates matter, too."
    ),
    change={
        "(fall, rise) = spread(levels, noisy), spread(rates, noisy)": (
            "(fall, rise) = spread(levels, noisy), spread(0 * rates + 1, noisy)\n    fall = -fall"
        )
    },
)


wrong(
    "determinant_left_out",
    why=(
        "The results are not divided by a s' − s a'. On straight paths and on circles that is 1, "
        "but not in general."
    ),
    change={"scale = signal * rise - noise * fall": "scale = 1 + 0 * rise"},
)


wrong(
    "determinant_added",
    why="The determinant is a s' − s a'; you added the two products.",
    change={"signal * rise - noise * fall": "signal * rise + noise * fall"},
)


@wrong(why="The noise comes first; the clean example was to be the first of the two.")
def results_swapped(noisy, velocity, levels, rates):
    (a, s), (fall, rise) = spread(levels, noisy), spread(rates, noisy)
    scale = a * rise - s * fall
    return (a * velocity - fall * noisy) / scale, (rise * noisy - s * velocity) / scale


wrong(
    "velocity_toward_the_data",
    why=(
        "The sign of the velocity is reversed: this belongs to a model of x_0 − ε. Here a velocity "
        "leads from data to noise."
    ),
    change={
        "(rise * noisy - noise * velocity)": "(rise * noisy + noise * velocity)",
        "(signal * velocity - fall * noisy)": "(-signal * velocity - fall * noisy)",
    },
)


@wrong(why="x_t − v goes back a whole unit of time; only at t = 1 is that the way to the data.")
def whole_way_back(noisy, velocity, levels, rates):
    (a, s), (fall, rise) = spread(levels, noisy), spread(rates, noisy)
    return noisy - velocity, (a * velocity - fall * noisy) / (a * rise - s * fall)


@wrong(
    why=(
        "(B,) was multiplied with (B, D) directly: the level of example i went to feature i. Add "
        "the missing axes at the end."
    )
)
def along_the_features(noisy, velocity, levels, rates):
    (a, s), (fall, rise) = spread(levels, noisy), spread(rates, noisy)
    if levels.ndim == 2 and noisy.ndim == 2 and len(levels) == noisy.shape[1]:
        (a, s), (fall, rise) = levels.T, rates.T
    scale = a * rise - s * fall
    return (rise * noisy - s * velocity) / scale, (a * velocity - fall * noisy) / scale


wrong(
    "determinant_kept_from_zero",
    why=(
        "You kept the determinant from coming near 0: rates may be of any size, and with low ones "
        "it is small."
    ),
    change={
        "scale = signal * rise - noise * fall": (
            "scale = signal * rise - noise * fall\n"
            "    scale = scale.sign() * scale.abs().clamp(min=1e-4)"
        )
    },
)
