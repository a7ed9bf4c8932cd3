"""Right and wrong answers to `mlp.sigmoid`."""

import torch

from grader.author.answers import right, wrong


@right
def exp_of_logaddexp(input):
    return (-torch.logaddexp(torch.zeros_like(input), -input)).exp()


@right
def softmax_of_a_and_zero(input):
    pair = torch.stack([input, torch.zeros_like(input)])
    return torch.softmax(pair, dim=0)[0]


@right
def tanh_of_the_half(input):
    return 0.5 + 0.5 * torch.tanh(input / 2)


wrong(
    "gradient_overflows",
    why=(
        "1 / (1 + e⁻ᵃ) has the right value at −1,000, since 1/∞ is 0; its "
        "gradient there is 0 · ∞, not a number, and one such entry ruins every "
        "weight."
    ),
    change={
        "torch.exp(-torch.logaddexp(-input, torch.zeros_like(input)))": (
            "1 / (1 + torch.exp(-input))"
        )
    },
)


wrong(
    "infinity_over_infinity",
    why=("eᵃ / (1 + eᵃ) is ∞/∞ for large a, although the true value is close to 1."),
    change={
        "torch.exp(-torch.logaddexp(-input, torch.zeros_like(input)))": (
            "torch.exp(input) / (1 + torch.exp(input))"
        )
    },
)


wrong(
    "both_branches_computed",
    why=(
        "`torch.where` picks the right value, but both branches are computed and differentiated: "
        "the branch that overflows gets the gradient 0, and 0 · ∞ is not a number."
    ),
    change={
        "torch.exp(-torch.logaddexp(-input, torch.zeros_like(input)))": (
            "torch.where(input >= 0, 1 / (1 + torch.exp(-input)), torch.exp(input) "
            "/ (1 + torch.exp(input)))"
        )
    },
)


wrong(
    "sign_lost",
    why="The minus in e⁻ᵃ is missing, so the curve falls where it should rise.",
    change={"logaddexp(-input": "logaddexp(input"},
)


wrong(
    "range_of_tanh",
    why=("tanh runs from −1 to 1; the sigmoid is (1 + tanh(a/2)) / 2, from 0 to 1."),
    change={
        "torch.exp(-torch.logaddexp(-input, torch.zeros_like(input)))": ("torch.tanh(input / 2)")
    },
)


wrong(
    "softmax_over_the_row",
    why=(
        "A softmax makes the entries of a row compete for a sum of 1; the "
        "sigmoid looks at one entry at a time."
    ),
    change={
        "torch.exp(-torch.logaddexp(-input, torch.zeros_like(input)))": (
            "torch.softmax(input, dim=-1) if input.dim() else torch.ones_like(input)"
        )
    },
)


@wrong(
    why=(
        "Splitting by sign with e^(−|a|) avoids the overflow, but |a| has the "
        "slope 0 at a = 0 for autograd, where the sigmoid is steepest: ¼."
    )
)
def flat_at_zero(input):
    power = torch.exp(-input.abs())
    return torch.where(input >= 0, 1 / (1 + power), power / (1 + power))


wrong(
    "far_numbers_cut_off",
    why=(
        "The input was clamped to keep the exponential small: beyond the bounds the value is "
        "constant and the slope is 0, although both should keep falling toward their limits."
    ),
    change={
        "torch.exp(-torch.logaddexp(-input, torch.zeros_like(input)))": (
            "1 / (1 + torch.exp(-input.clamp(-10, 10)))"
        )
    },
)
