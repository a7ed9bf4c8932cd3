"""Right and wrong answers to `training.momentum_step`."""

import torch

from grader.author.answers import right, wrong


@right
def with_alpha(parameter, gradient, velocity, *, lr, momentum=0.9):
    new = torch.add(gradient, velocity, alpha=momentum)
    return torch.sub(parameter, new, alpha=lr), new


@right
def velocity_from_the_path(parameter, gradient, velocity, *, lr, momentum=0.9):
    moved = parameter - lr * momentum * velocity - lr * gradient
    return moved, (parameter - moved) / lr


@wrong(
    why=(
        "The parameter was moved by the velocity before this gradient entered "
        "it, so the gradient acts one step late."
    )
)
def old_velocity(parameter, gradient, velocity, *, lr, momentum=0.9):
    return parameter - lr * velocity, momentum * velocity + gradient


wrong(
    "averaged",
    why=(
        "(1 − μ) was put before the gradient, which makes an average of the "
        "velocity, as in Adam; here gradients add up, and the learning rate "
        "means something else."
    ),
    change={"velocity + gradient": "velocity + (1 - momentum) * gradient"},
)


@wrong(
    why=(
        "η went into the velocity: the path is the same while η is constant, "
        "but a schedule then changes η for old gradients too late, and the "
        "state is not that of torch."
    )
)
def rate_in_the_velocity(parameter, gradient, velocity, *, lr, momentum=0.9):
    velocity = momentum * velocity + lr * gradient
    return parameter - velocity, velocity


wrong(
    "uphill",
    why="The velocity was added; it sums up gradients, and these point uphill.",
    change={"parameter - lr": "parameter + lr"},
)


wrong(
    "velocity_not_returned",
    why=(
        "The old velocity was returned, so nothing is ever remembered and each "
        "step is one of plain gradient descent."
    ),
    change={
        "velocity = momentum * velocity + gradient": "new = momentum * velocity + gradient",
        "lr * velocity, velocity": "lr * new, velocity",
    },
)


@wrong(
    why=(
        "The tensors that came in were changed in place; a step function "
        "leaves them as they are and returns new ones, so the caller can "
        "compare."
    )
)
def in_place(parameter, gradient, velocity, *, lr, momentum=0.9):
    velocity.mul_(momentum).add_(gradient)
    parameter.sub_(lr * velocity)
    return parameter, velocity


@wrong(
    why=(
        "v ← μ v − η g with w ← w + v is the other common form; here η stays out of the velocity, "
        "so that a schedule acts at once, and the state is that of torch."
    )
)
def rate_and_sign_in_the_velocity(parameter, gradient, velocity, *, lr, momentum=0.9):
    velocity = momentum * velocity - lr * gradient
    return parameter + velocity, velocity


wrong(
    "results_swapped",
    why="The velocity was returned first; the new parameter comes first, then the new velocity.",
    change={
        "return parameter - lr * velocity, velocity": "return velocity, parameter - lr * velocity"
    },
)


wrong(
    "momentum_of_the_default",
    why="μ was written as 0.9 and the argument ignored.",
    change={"momentum * velocity": "0.9 * velocity"},
)


wrong(
    "momentum_on_both",
    why="μ damps what is old, the velocity; the new gradient enters it whole.",
    change={"momentum * velocity + gradient": "momentum * (velocity + gradient)"},
)
