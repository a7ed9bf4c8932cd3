"""Right and wrong answers to `training.adam_step`."""

import math

import torch

from grader.author.answers import right, wrong


@right
def with_addcdiv(
    parameter,
    gradient,
    exp_avg,
    exp_avg_sq,
    step,
    *,
    lr,
    betas=(0.9, 0.999),
    eps=1e-8,
    weight_decay=0.0,
):
    gradient = gradient.add(parameter, alpha=weight_decay)
    exp_avg = exp_avg.lerp(gradient, 1 - betas[0])
    exp_avg_sq = exp_avg_sq.mul(betas[1]).addcmul(gradient, gradient, value=1 - betas[1])
    size = lr / (1 - betas[0] ** step)
    root = exp_avg_sq.sqrt() / math.sqrt(1 - betas[1] ** step) + eps
    return torch.addcdiv(parameter, exp_avg, root, value=-size), exp_avg, exp_avg_sq


@right
def moved_by_the_difference(
    parameter,
    gradient,
    exp_avg,
    exp_avg_sq,
    step,
    *,
    lr,
    betas=(0.9, 0.999),
    eps=1e-8,
    weight_decay=0.0,
):
    first, second = betas
    g = gradient + weight_decay * parameter
    m = exp_avg + (1 - first) * (g - exp_avg)
    s = exp_avg_sq + (1 - second) * (g**2 - exp_avg_sq)
    m_hat, s_hat = m / (1 - first**step), s / (1 - second**step)
    return parameter - lr / (s_hat**0.5 + eps) * m_hat, m, s


wrong(
    "no_correction",
    why=(
        "Both averages start from zero, so at first they are far too small, "
        "and not equally so: without dividing by 1 − βᵗ the first steps have "
        "the wrong length."
    ),
    change={"/ (1 - betas[0] ** step)": "", "/ (1 - betas[1] ** step)": ""},
)


wrong(
    "one_corrected",
    why=(
        "The average of gradients was corrected and that of squares was not, "
        "though it starts from zero as well: its root is too small, and the "
        "first steps are too long."
    ),
    change={"/ (1 - betas[1] ** step)": ""},
)


wrong(
    "no_root",
    why=(
        "The average was divided by the mean square; its root has the unit of "
        "a gradient, so that the quotient has none and a step is about as long "
        "as η."
    ),
    change={"betas[1] ** step)).sqrt()": "betas[1] ** step))"},
)


wrong(
    "correction_kept",
    why=(
        "The corrected averages were returned and will be corrected again in "
        "the next step; the correction is for use, not for memory."
    ),
    change={
        "value=-size), exp_avg, exp_avg_sq": "value=-size), exp_avg * size / lr, root.square()"
    },
)


wrong(
    "step_from_zero",
    why=(
        "The correction was made with t − 1: steps count from 1, or the first "
        "divides by 1 − β⁰ = 0."
    ),
    change={
        "betas[0] ** step)": "betas[0] ** (step - 1))",
        "betas[1] ** step)": "betas[1] ** (step - 1))",
    },
)


wrong(
    "correction_times_step",
    why=(
        "β · t was written for β to the power t; after t steps from zero an "
        "average has the weight 1 − βᵗ."
    ),
    change={"betas[0] ** step": "betas[0] * step", "betas[1] ** step": "betas[1] * step"},
)


wrong(
    "eps_under_the_root",
    why=(
        "ε was added under the root: √(s + 1e-8) is never below 1e-4, and "
        "small gradients are held back by it."
    ),
    change={"betas[1] ** step)).sqrt()": "betas[1] ** step) + eps).sqrt() - eps"},
)


wrong(
    "eps_before_correction",
    why=(
        "ε was added to the root of the uncorrected average, and the "
        "correction applied to both: then ε weighs more at the start, by 1 / "
        "√(1 − β₂ᵗ), than Kingma and Ba's algorithm 1 says."
    ),
    change={
        "(exp_avg, root + eps,": (
            "(exp_avg, (exp_avg_sq.sqrt() + eps) / (1 - betas[1] ** step) ** 0.5,"
        )
    },
)


wrong(
    "betas_swapped",
    why=("β₁ belongs to the average of gradients, β₂ to that of squares; they were swapped."),
    change={
        "exp_avg = exp_avg.lerp(gradient, 1 - betas[0])": (
            "betas = betas[::-1]\n    exp_avg = exp_avg.lerp(gradient, 1 - betas[0])"
        )
    },
)


wrong(
    "penalty_decoupled",
    why=(
        "λ w was taken off the weights directly, which is AdamW; in Adam it is "
        "part of the gradient, and so it goes through both averages."
    ),
    change={
        "gradient = gradient + weight_decay * parameter": (
            "parameter = parameter * (1 - lr * weight_decay)"
        )
    },
)


wrong(
    "penalty_forgotten",
    why=("λ was ignored: the penalty's share λ w has to be added to the gradient."),
    change={"gradient = gradient + weight_decay * parameter": "pass"},
)


wrong(
    "penalty_in_one_average",
    why=(
        "The penalty entered the average of gradients and not that of squares; it is part of the "
        "gradient, and so of both."
    ),
    change={"lerp(gradient.square()": "lerp((gradient - weight_decay * parameter).square()"},
)


wrong(
    "averages_swapped",
    why="The average of squares was returned before that of gradients; the order is w, m, s.",
    change={"value=-size), exp_avg, exp_avg_sq": "value=-size), exp_avg_sq, exp_avg"},
)


wrong(
    "eps_ignored",
    why="ε was left out: a weight that never had a gradient becomes 0 / 0, which is NaN.",
    change={"root + eps": "root"},
)


wrong(
    "gradient_and_not_average",
    why="The step went along this gradient alone; Adam steps along its average m.",
    change={"addcdiv(exp_avg,": "addcdiv(gradient,"},
)


wrong(
    "gradient_not_squared",
    why="The gradient entered the second average without its square.",
    change={"gradient.square()": "gradient"},
)


wrong(
    "uphill",
    why="The step was added; the gradient points uphill, so it is subtracted.",
    change={"value=-size": "value=size"},
)


@wrong(
    why=(
        "The averages that came in were changed in place; a step function leaves them as they are "
        "and returns new ones."
    )
)
def in_place(
    parameter,
    gradient,
    exp_avg,
    exp_avg_sq,
    step,
    *,
    lr,
    betas=(0.9, 0.999),
    eps=1e-8,
    weight_decay=0.0,
):
    gradient = gradient + weight_decay * parameter
    exp_avg.lerp_(gradient, 1 - betas[0])
    exp_avg_sq.lerp_(gradient.square(), 1 - betas[1])
    mean, mean_square = exp_avg / (1 - betas[0] ** step), exp_avg_sq / (1 - betas[1] ** step)
    return parameter - lr * mean / (mean_square.sqrt() + eps), exp_avg, exp_avg_sq
