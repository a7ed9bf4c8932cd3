"""Right and wrong answers to `linear.train`."""

import torch

from grader.author.answers import equivalent, right, wrong
from solutions.linear import LOSSES, linear


@right
def optimizer_of_torch(features, target, *, weight, bias, loss, learning_rate, steps, l2=0.0):
    if loss not in ("squared", "logistic", "cross_entropy", "hinge"):
        raise ValueError(f"no loss {loss!r}")
    weight = weight.detach().clone().requires_grad_()
    bias = bias.detach().clone().requires_grad_()
    optimizer = torch.optim.SGD([weight, bias], lr=learning_rate)
    history = []
    for _ in range(steps):
        optimizer.zero_grad()
        scores = linear(features, weight, bias)
        objective = LOSSES[loss](scores, target) + l2 * (weight**2).sum()
        objective.backward()
        optimizer.step()
        history.append(objective.item())
    history = torch.tensor(history, dtype=features.dtype)
    return weight.detach(), bias.detach(), history


@right
def functional_gradients(features, target, *, weight, bias, loss, learning_rate, steps, l2=0.0):
    if loss not in ("squared", "logistic", "cross_entropy", "hinge"):
        raise ValueError(f"no loss {loss!r}")

    def value(weight, bias):
        return LOSSES[loss](linear(features, weight, bias), target)

    weight, bias = weight.detach(), bias.detach()
    both = torch.func.grad_and_value(value, argnums=(0, 1))
    history = torch.zeros(steps, dtype=weight.dtype)
    for step in range(steps):
        (slope, bias_slope), loss_now = both(weight, bias)
        history[step] = loss_now + l2 * weight.norm() ** 2
        weight = weight - learning_rate * (slope + 2 * l2 * weight)
        bias = bias - learning_rate * bias_slope
    return weight.clone(), bias.clone(), history


@wrong(
    why=(
        "`backward()` adds to `.grad` and nothing sets it back to zero, so "
        "every step goes along the sum of all gradients so far."
    )
)
def gradients_pile_up(features, target, *, weight, bias, loss, learning_rate, steps, l2=0.0):
    weight = weight.detach().clone().requires_grad_()
    bias = bias.detach().clone().requires_grad_()
    history = weight.new_empty(steps)
    for step in range(steps):
        objective = LOSSES[loss](linear(features, weight, bias), target)
        objective = objective + l2 * weight.square().sum()
        objective.backward()
        with torch.no_grad():
            weight -= learning_rate * weight.grad
            bias -= learning_rate * bias.grad
            history[step] = objective
    return weight.detach(), bias.detach(), history


wrong(
    "uphill",
    why=("The gradient points uphill, and it was added; the loss grows with every step."),
    change={
        "weight -= learning_rate": "weight += learning_rate",
        "bias -= learning_rate": "bias += learning_rate",
    },
)


wrong(
    "bias_penalized",
    why=("The penalty includes the bias, which then cannot follow the mean of the target."),
    change={"l2 * weight.square().sum()": "l2 * (weight.square().sum() + bias.square().sum())"},
)


wrong(
    "penalty_halved",
    why=(
        "The penalty is λ Σ W², with the gradient 2 λ W; adding λ W to the "
        "gradient, as `weight_decay=λ` does in `torch.optim.SGD`, is half of "
        "it."
    ),
    change={"l2 * weight.square().sum()": "l2 / 2 * weight.square().sum()"},
)


wrong(
    "penalty_not_squared",
    why=(
        "`weight.norm()` is the root of Σ W²; its gradient has the same length for weights of "
        "any size, while that of λ Σ W² shrinks with the weights."
    ),
    change={"l2 * weight.square().sum()": "l2 * weight.norm()"},
)


wrong(
    "penalty_averaged",
    why=(
        "The penalty is the sum of the squared weights, not their mean: with `.mean()` the same "
        "λ penalizes each weight less, the more weights there are."
    ),
    change={"l2 * weight.square().sum()": "l2 * weight.square().mean()"},
)


wrong(
    "start_ignored",
    why="The loop starts from zeros instead of from the given parameters.",
    change={
        "weight.detach().clone()": "torch.zeros_like(weight)",
        "bias.detach().clone()": "torch.zeros_like(bias)",
    },
)


wrong(
    "start_overwritten",
    why=(
        "`.detach()` shares memory with the caller's tensors, so the in-place "
        "updates change them too: a second run would not start where the first "
        "one did. `.clone()` makes the copy."
    ),
    change={"weight.detach().clone()": "weight.detach()", "bias.detach().clone()": "bias.detach()"},
)


@wrong(
    why=(
        "The weight is moved before the bias's gradient is taken, so the two "
        "gradients belong to different models; take both, then move both."
    )
)
def one_after_the_other(features, target, *, weight, bias, loss, learning_rate, steps, l2=0.0):
    weight = weight.detach().clone().requires_grad_()
    bias = bias.detach().clone().requires_grad_()
    history = weight.new_empty(steps)
    for step in range(steps):
        for parameter in (weight, bias):
            objective = LOSSES[loss](linear(features, weight, bias), target)
            objective = objective + l2 * weight.square().sum()
            if parameter is weight:
                history[step] = objective.detach()
            (slope,) = torch.autograd.grad(objective, parameter)
            with torch.no_grad():
                parameter -= learning_rate * slope
    return weight.detach(), bias.detach(), history


@wrong(
    why=(
        "The history holds the loss alone; gradient descent lowers loss plus "
        "penalty, and only that sum has to fall."
    )
)
def penalty_not_recorded(features, target, *, weight, bias, loss, learning_rate, steps, l2=0.0):
    weight = weight.detach().clone().requires_grad_()
    bias = bias.detach().clone().requires_grad_()
    history = weight.new_empty(steps)
    for step in range(steps):
        value = LOSSES[loss](linear(features, weight, bias), target)
        penalty = l2 * weight.square().sum()
        slope, bias_slope = torch.autograd.grad(value + penalty, (weight, bias))
        with torch.no_grad():
            weight -= learning_rate * slope
            bias -= learning_rate * bias_slope
            history[step] = value
    return weight.detach(), bias.detach(), history


wrong(
    "recorded_after_the_step",
    why=(
        "The objective was computed again after the update, so the history lacks its "
        "starting value; keep the value that the gradient was computed from."
    ),
    change={
        "history[step] = objective": (
            "after = LOSSES[loss](linear(features, weight, bias), target); "
            "history[step] = after + l2 * weight.square().sum()"
        )
    },
)


wrong(
    "start_not_detached",
    why=(
        "Where the start requires a gradient, the result is still part of its graph; `.detach()` "
        "cuts it, `.clone()` alone does not."
    ),
    change={
        "weight.detach().clone().requires_grad_()": "weight.clone().requires_grad_()",
        "bias.detach().clone().requires_grad_()": "bias.clone().requires_grad_()",
        "return weight.detach(), bias.detach(), history": ("return weight, bias, history"),
    },
)


equivalent(
    "weight = (weight).clone().requires_grad_()",
    why="what is returned is detached again, and no step goes back beyond the clone",
)


equivalent("bias = (bias).clone().requires_grad_()", why="as for the weight")


wrong(
    "gradients_clipped",
    why="The gradients were clipped. A step goes against the whole gradient, however steep it is.",
    change={"learning_rate * slope": "learning_rate * slope.clamp(-1e4, 1e4)"},
    corner=True,
)
