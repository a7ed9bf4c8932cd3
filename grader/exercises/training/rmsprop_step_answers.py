"""Right and wrong answers to `training.rmsprop_step`."""

import torch

from grader.author.answers import right, wrong


@right
def with_lerp(parameter, gradient, square_avg, *, lr, alpha=0.99, eps=1e-8):
    new = torch.lerp(gradient * gradient, square_avg, alpha)
    return torch.addcdiv(parameter, gradient, new.sqrt() + eps, value=-lr), new


@right
def moved_by_the_difference(parameter, gradient, square_avg, *, lr, alpha=0.99, eps=1e-8):
    new = square_avg + (1 - alpha) * (gradient**2 - square_avg)
    rate = lr / (eps + new**0.5)
    return parameter - rate * gradient, new


wrong(
    "eps_under_the_root",
    why=(
        "ε was added under the root: √(s + 1e-8) is never below 1e-4, so small "
        "gradients are no longer brought to the usual size."
    ),
    change={"(square_avg.sqrt() + eps)": "(square_avg + eps).sqrt()"},
)


wrong(
    "no_root",
    why=(
        "The gradient was divided by the mean square, which has the unit of a "
        "squared gradient: ten times smaller gradients would make ten times "
        "longer steps."
    ),
    change={"square_avg.sqrt()": "square_avg"},
)


@wrong(
    why=(
        "The gradient was divided by the root of the old average; in the first "
        "step that is zero, and the step is as long as 1 / ε allows."
    )
)
def old_average(parameter, gradient, square_avg, *, lr, alpha=0.99, eps=1e-8):
    moved = parameter - lr * gradient / (square_avg.sqrt() + eps)
    return moved, alpha * square_avg + (1 - alpha) * gradient.square()


wrong(
    "gradient_not_squared",
    why=(
        "The gradient entered the average without its square; gradients of "
        "both signs then cancel, and the root of a negative average is not a "
        "number."
    ),
    change={"gradient.square()": "gradient"},
)


wrong(
    "sum_of_squares",
    why=(
        "The squares are added up and never forgotten, as in AdaGrad: the "
        "steps become shorter and shorter."
    ),
    change={"alpha * square_avg + (1 - alpha) * gradient": "square_avg + gradient"},
)


wrong(
    "shares_swapped",
    why=(
        "α is what is kept of the old average; here it is the share of the new "
        "square, so the average follows every single gradient."
    ),
    change={"alpha * square_avg + (1 - alpha) *": "(1 - alpha) * square_avg + alpha *"},
)


wrong(
    "eps_as_a_floor",
    why="The root was kept from falling below ε; ε is added to it, also where it is large.",
    change={"(square_avg.sqrt() + eps)": "square_avg.sqrt().clamp(min=eps)"},
)


wrong(
    "average_not_returned",
    why="The old average was returned, so the squares seen so far are forgotten at once.",
    change={
        "square_avg = alpha * square_avg": "new = alpha * square_avg",
        "(square_avg.sqrt() + eps), square_avg": "(new.sqrt() + eps), square_avg",
    },
)


wrong(
    "results_swapped",
    why="The average was returned first; the new parameter comes first, then the average.",
    change={
        "return parameter - lr * gradient / (square_avg.sqrt() + eps), square_avg": (
            "return square_avg, parameter - lr * gradient / (square_avg.sqrt() + eps)"
        )
    },
)


wrong(
    "eps_ignored",
    why="ε was left out: a weight that never had a gradient becomes 0 / 0, which is NaN.",
    change={"(square_avg.sqrt() + eps)": "square_avg.sqrt()"},
)
