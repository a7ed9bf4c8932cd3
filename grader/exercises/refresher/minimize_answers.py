"""Right and wrong answers to `refresher.minimize`."""

import torch

from grader.author.answers import equivalent, right, wrong


@right
def backward_and_cleared(function, x, *, learning_rate, steps):
    x = x.detach().clone().requires_grad_()
    for _ in range(steps):
        x.grad = None
        function(x).backward()
        with torch.no_grad():
            x -= learning_rate * x.grad
    return x.detach()


@right
def gradient_as_a_function(function, x, *, learning_rate, steps):
    slope = torch.func.grad(function)
    for _ in range(steps):
        x = torch.add(x, slope(x), alpha=-learning_rate)
    return x.detach().clone()


wrong(
    "uphill",
    why="The step was taken along the gradient, which points to where f grows; subtract it.",
    change={"x - learning_rate": "x + learning_rate"},
)


wrong(
    "one_step_too_many",
    why="One step more than asked for was taken.",
    change={"range(steps)": "range(steps + 1)"},
)


wrong(
    "learning_rate_ignored",
    why="The whole gradient was subtracted; the learning rate says which part of it.",
    change={"learning_rate * gradient": "gradient"},
)


wrong(
    "gradient_of_length_one",
    why=(
        "The gradient was divided by its length, so that every step is equally long; gradient "
        "descent takes shorter steps where the function is flatter."
    ),
    change={"learning_rate * gradient": "learning_rate * gradient / gradient.norm()"},
)


@wrong(
    why=(
        "`backward` adds to `x.grad`, and it was never cleared: each step is taken along the sum "
        "of all gradients so far."
    )
)
def gradients_pile_up(function, x, *, learning_rate, steps):
    x = x.detach().clone().requires_grad_()
    for _ in range(steps):
        function(x).backward()
        with torch.no_grad():
            x -= learning_rate * x.grad
    return x.detach()


@wrong(
    why=(
        "The gradient was computed once, at the start, and used for every step; compute "
        "it again at each new point."
    )
)
def gradient_of_the_start(function, x, *, learning_rate, steps):
    leaf = x.detach().clone().requires_grad_()
    (gradient,) = torch.autograd.grad(function(leaf), leaf)
    return (leaf - steps * learning_rate * gradient).detach()


@wrong(
    why=(
        "The caller's tensor was changed in place: whoever compares the result with the start "
        "finds them equal; work on a copy, `x.detach().clone()`."
    )
)
def start_overwritten(function, x, *, learning_rate, steps):
    for _ in range(steps):
        leaf = x.detach().requires_grad_()
        (gradient,) = torch.autograd.grad(function(leaf), leaf)
        x.data -= learning_rate * gradient
    return x.detach().clone()


@wrong(
    why=(
        "`torch.tensor(x.tolist())` makes a new tensor of float32, whatever dtype x had: half of "
        "the digits are lost; `x.detach().clone()` keeps the dtype."
    )
)
def through_a_list(function, x, *, learning_rate, steps):
    for _ in range(steps):
        x = torch.tensor(x.tolist(), requires_grad=True)
        (gradient,) = torch.autograd.grad(function(x), x)
        x = x - learning_rate * gradient
    return x.detach()


equivalent(
    "x = (x).requires_grad_()",
    why="the same numbers: the record only grows from step to step, and x is marked",
)
