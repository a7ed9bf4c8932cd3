"""Right and wrong answers to `training.muon_step`."""

import torch

from grader.author.answers import right, wrong
from solutions.training import newton_schulz


@right
def with_lerp(parameter, gradient, momentum_buffer, *, lr, momentum=0.95, weight_decay=0.1):
    v = torch.lerp(gradient, momentum_buffer, momentum)
    rate = lr * max(1.0, parameter.size(0) / parameter.size(1)) ** 0.5
    turned = newton_schulz(torch.lerp(gradient, v, momentum))
    return parameter - lr * weight_decay * parameter - rate * turned, v


@right
def by_singular_values(
    parameter, gradient, momentum_buffer, *, lr, momentum=0.95, weight_decay=0.1
):
    v = momentum_buffer + (1 - momentum) * (gradient - momentum_buffer)
    left, sizes, right = torch.linalg.svd(gradient + momentum * (v - gradient), full_matrices=False)
    sizes = sizes / (sizes.norm() + 1e-7)
    for _ in range(5):
        sizes = 3.4445 * sizes - 4.7750 * sizes**3 + 2.0315 * sizes**5
    rows, columns = parameter.shape
    longer = (rows / columns) ** 0.5 if rows > columns else 1.0
    return torch.sub(
        (1 - lr * weight_decay) * parameter, longer * left * sizes @ right, alpha=lr
    ), v


wrong(
    "plain_momentum",
    why=(
        "The direction is that of v alone. Muon looks ahead as Nesterov does: the gradient enters "
        "the direction once more."
    ),
    change={
        "newton_schulz(momentum * buffer + (1 - momentum) * gradient)": "newton_schulz(buffer)"
    },
)


wrong(
    "gradients_added_up",
    why=(
        "Gradients enter v whole, as in SGD; here v is their average, as in Adam. Sizes do not "
        "matter to the step, but v is kept and has to be that of torch."
    ),
    change={
        "momentum * momentum_buffer + (1 - momentum) * gradient": (
            "momentum * momentum_buffer + gradient"
        ),
        "newton_schulz(momentum * buffer + (1 - momentum) * gradient)": (
            "newton_schulz(momentum * buffer + gradient)"
        ),
    },
)


wrong(
    "not_orthogonalized",
    why="The direction was used as it is: this is momentum, and large gradients make long steps.",
    change={
        "newton_schulz(momentum * buffer + (1 - momentum) * gradient)": (
            "momentum * buffer + (1 - momentum) * gradient"
        )
    },
)


wrong(
    "each_gradient_by_itself",
    why=(
        "Every gradient was orthogonalized before it entered v, so a noisy one counts as much as a "
        "clear one; average first."
    ),
    change={
        "momentum * momentum_buffer + (1 - momentum) * gradient": (
            "momentum * momentum_buffer + (1 - momentum) * newton_schulz(gradient)"
        ),
        "direction = newton_schulz(momentum * buffer + (1 - momentum) * gradient)": (
            "direction = momentum * buffer + (1 - momentum) * newton_schulz(gradient)"
        ),
    },
)


wrong(
    "tall_like_wide",
    why="√max(1, rows / columns) is missing: the steps of tall matrices are too short.",
    change={"lr * math.sqrt(max(1, rows / columns)) * direction": "lr * direction"},
)


wrong(
    "wide_made_shorter",
    why=(
        "√(rows / columns) was used for wide matrices too and made their steps shorter; it is "
        "never below 1."
    ),
    change={"math.sqrt(max(1, rows / columns))": "math.sqrt(rows / columns)"},
)


wrong(
    "decay_in_the_gradient",
    why=(
        "λ w joined the gradient, where newton_schulz takes its size away; the weights themselves "
        "shrink, as in AdamW."
    ),
    change={
        "buffer = momentum *": (
            "gradient = gradient + weight_decay * parameter\n    buffer = momentum *"
        ),
        "(1 - lr * weight_decay) * parameter": "parameter",
    },
)


wrong(
    "decay_without_rate",
    why="The weights shrink by λ per step instead of η λ.",
    change={"(1 - lr * weight_decay)": "(1 - weight_decay)"},
)


wrong(
    "whole_quotient",
    why="`//` drops the fraction: a matrix of 7 rows and 5 columns has the factor √1.4, not √1.",
    change={"lr * math.sqrt(max(1, rows / columns))": "lr * math.sqrt(max(1, rows // columns))"},
)
