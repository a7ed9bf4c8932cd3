"""Right and wrong answers to `diffusion.reverse_step`."""

from grader.author.answers import right, wrong
from solutions.diffusion import posterior


@right
def shares_of_the_variance(noisy, clean, now, then, *, eta=0.0, draws=None):
    a_t, s_t, a_r, s_r = now[0], now[1], then[0], then[1]
    new = 1 - (a_t * s_r / (a_r * s_t)) ** 2  # σ² / s_t²
    old = s_r * (1 - eta**2 * new).sqrt()
    found = a_r * clean + old / s_t * (noisy - a_t * clean)
    if eta:
        if draws is None:
            raise ValueError("fresh noise has to be given")
        found = found + eta * new.sqrt() * s_r * draws
    return found


@right
def from_where_it_stands(noisy, clean, now, then, *, eta=0.0, draws=None):
    if draws is None:
        if eta > 0:
            raise ValueError("no draws")
        draws = 0 * noisy
    fresh = eta * posterior(noisy, clean, now, then)[1] ** 0.5
    scale = (then[1] ** 2 - fresh**2).clamp(min=0) ** 0.5 / now[1]  # may round below 0
    return scale * noisy + (then[0] - scale * now[0]) * clean + fresh * draws


wrong(
    "fresh_noise_on_top",
    why=(
        "All of the old noise is kept and fresh noise is added, so x_r has more noise than its "
        "level. Fresh noise replaces a part of the old: √(s_r² − f²)."
    ),
    change={"(next_noise**2 - eta**2 * variance).sqrt()": "next_noise"},
)


wrong(
    "deviations_subtracted",
    why="The old noise was given s_r − f; it is variances that add up to s_r², so √(s_r² − f²).",
    change={"(next_noise**2 - eta**2 * variance).sqrt()": "(next_noise - eta * variance.sqrt())"},
)


wrong(
    "eta_scales_the_variance",
    why="Here eta multiplies the variance; it multiplies the deviation, and eta² the variance.",
    change={
        "eta**2 * variance": "eta * variance",
        "eta * variance.sqrt()": "(eta * variance).sqrt()",
    },
)


wrong(
    "variance_for_deviation",
    why="The fresh noise is scaled by a variance; its root, the standard deviation, belongs there.",
    change={"variance.sqrt() * draws": "variance * draws"},
)


@wrong(
    why=(
        "The fresh noise has the variance σ² of the step forward; DDPM's step back has that of "
        "`posterior`. With σ², noise is added in the last step, too."
    )
)
def variance_of_the_forward_step(noisy, clean, now, then, *, eta=0.0, draws=None):
    if eta > 0 and draws is None:
        raise ValueError("no draws")
    (signal, noise), (next_signal, next_noise) = now, then
    _, variance = posterior(noisy, clean, now, then)
    old = (next_noise**2 - eta**2 * variance).sqrt()
    added = noise**2 - (signal / next_signal * next_noise) ** 2
    found = next_signal * clean + old * (noisy - signal * clean) / noise
    return found if draws is None else found + eta * added.sqrt() * draws


wrong(
    "fresh_noise_always",
    why="The fresh noise ignores eta: with eta = 0 the step has to be the same every time.",
    change={"eta * variance.sqrt() * draws": "variance.sqrt() * draws"},
)


wrong(
    "noise_not_scaled",
    why="ε is (x_t − a_t x_0) / s_t; without the division it is s_t ε.",
    change={"(noisy - signal * clean) / noise": "(noisy - signal * clean) + 0 * noise"},
)


wrong(
    "signal_of_now",
    why="The clean example comes back with the signal of the old level; the new one has more.",
    change={"next_signal * clean + old": "signal * clean + old"},
)


wrong(
    "clean_not_scaled",
    why="The estimate of x_0 was added whole; at level r it has the signal a_r.",
    change={"next_signal * clean + old": "clean + old"},
)


wrong(
    "all_noise_is_fresh",
    why=(
        "The noise of x_t is thrown away and s_r of fresh noise is added. That forgets where x_t "
        "was; only with eta above 0 is a part of it fresh."
    ),
    change={
        "clean + old * predicted": "clean + 0 * predicted",
        "step + eta * variance.sqrt() * draws": "step + next_noise * draws",
    },
)


wrong(
    "clean_where_no_noise_is_left",
    why=(
        "You returned the estimate of x_0 as it is where no noise is left; at level r it has the "
        "signal a_r, which need not be 1."
    ),
    change={
        "(next_signal, next_noise) = now, then\n": (
            "(next_signal, next_noise) = now, then\n    if next_noise == 0:\n        return clean\n"
        )
    },
    corner=True,
)
