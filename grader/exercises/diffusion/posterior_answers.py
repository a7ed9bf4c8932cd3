"""Right and wrong answers to `diffusion.posterior`."""

from grader.author.answers import right, wrong


@right
def by_precisions(noisy, clean, now, then):
    ratio = now[0] / then[0]
    added = now[1] ** 2 - (ratio * then[1]) ** 2
    variance = then[1] ** 2 * added / (added + (ratio * then[1]) ** 2)
    gain = ratio * then[1] ** 2 / now[1] ** 2  # of Kalman
    guess = then[0] * clean
    return guess + gain * (noisy - ratio * guess), variance


@right
def coefficients_first(noisy, clean, now, then):
    a_t, s_t, a_r, s_r = now[0], now[1], then[0], then[1]
    shrink = (a_t * s_r) / (a_r * s_t)
    first = shrink * s_r / s_t
    second = a_r - shrink**2 * a_r
    return first * noisy + second * clean, (1 - shrink.square()) * s_r.square()


wrong(
    "variance_of_the_forward_step",
    why=(
        "The variance is σ², that of the step forward (β in DDPM). Knowing x_0 makes it smaller: "
        "multiply by s_r² / s_t²."
    ),
    change={"return mean, added * next_noise**2": "return mean, added * noise**2"},
)


wrong(
    "deviation_for_variance",
    why="The second value is the standard deviation; return the variance.",
    change={"return mean, added * next_noise**2": "return mean, (added * next_noise**2).sqrt()"},
)


wrong(
    "ends_swapped",
    why="The coefficients of x_t and x_0 are swapped.",
    change={"* noisy + next": "* clean + next", "* added * clean": "* added * noisy"},
)


wrong(
    "ratio_left_out_of_the_mean",
    why="The coefficient of x_t lacks its α: x_t has less signal than x_r.",
    change={"mean = ratio * (next": "mean = (next"},
)


wrong(
    "ratio_not_squared",
    why="In σ², α is squared, because it is a variance.",
    change={"ratio**2 * next_noise**2": "ratio * next_noise**2"},
)


wrong(
    "noise_not_squared",
    why="The coefficient of x_t has s_r² / s_t², and not s_r / s_t.",
    change={"(next_noise / noise) ** 2": "(next_noise / noise)"},
)


wrong(
    "signal_of_now",
    why="The coefficient of x_0 has a_t; the signal of the new level, a_r, belongs there.",
    change={"+ next_signal * added": "+ signal * added"},
)


wrong(
    "added_noise_is_the_difference",
    why=(
        "σ² was taken to be s_t² − s_r². The noise that was there has been scaled by α on the way: "
        "s_t² − α² s_r²."
    ),
    change={"ratio**2 * next_noise**2": "next_noise**2"},
)
