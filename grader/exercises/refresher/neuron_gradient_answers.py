"""Right and wrong answers to `refresher.neuron_gradient`."""

import torch

from grader.author.answers import right, wrong


@right
def with_cosh(x, weight, bias, target):
    total = (weight * x).sum() + bias
    slope = (total.tanh() - target) / total.cosh() ** 2 * 2
    return slope * x, slope


@right
def factor_by_factor(x, weight, bias, target):
    inputs = torch.cat([x, torch.ones(1, dtype=x.dtype)])
    parameters = torch.cat([weight, bias.reshape(1)])
    output = torch.tanh(torch.dot(inputs, parameters))
    factors = torch.stack([2 * output - 2 * target, (1 - output) * (1 + output)])
    slopes = factors.prod() * inputs
    return slopes[:-1], slopes[-1]


wrong(
    "inner_derivative_forgotten",
    why=(
        "The derivative of tanh, 1 − o², is missing: the chain rule multiplies by the derivative "
        "of every step between the loss and the weight."
    ),
    change={" * (1 - output.square())": ""},
)


wrong(
    "tanh_at_the_wrong_place",
    why=(
        "1 − a² was taken instead of 1 − o²: the derivative of tanh at a is 1 − tanh(a)², which "
        "is written with the output."
    ),
    change={"output.square()": "(weight @ x + bias).square()"},
)


wrong(
    "two_forgotten",
    why="The derivative of (o − y)² is 2 (o − y); the 2 is missing.",
    change={"2 * (output": "(output"},
)


wrong(
    "target_minus_output",
    why="With y − o the sign is turned: a step against this gradient makes the loss larger.",
    change={"(output - target)": "(target - output)"},
)


wrong(
    "derivative_of_the_sigmoid",
    why="o (1 − o) is the derivative of the logistic function; that of tanh is 1 − o².",
    change={"(1 - output.square())": "output * (1 - output)"},
)


wrong(
    "weight_for_input",
    why=(
        "∂a/∂w is x, what the weight is multiplied by; multiplying by w gives the derivative with "
        "respect to the input."
    ),
    change={"by_sum * x": "by_sum * weight"},
)


wrong(
    "bias_left_out",
    why="The bias was not added before the tanh, so all derivatives are taken at another point.",
    change={"weight @ x + bias": "weight @ x"},
)


wrong(
    "bias_gets_the_sum",
    why=(
        "The bias gets the sum of the weights' derivatives; its own factor is ∂a/∂b = 1, "
        "whatever the inputs are."
    ),
    change={"by_sum * x, by_sum": "by_sum * x, (by_sum * x).sum()"},
)


@wrong(
    why=(
        "tanh was written as a quotient of exponentials: far from 0 one of them is ∞, and ∞/∞ is "
        "NaN, where the tanh is 1 or −1. `torch.tanh` has no such limit."
    ),
    corner=True,
)
def quotient_of_exponentials(x, weight, bias, target):
    total = weight @ x + bias
    up, down = total.exp(), (-total).exp()
    output = (up - down) / (up + down)
    by_sum = 2 * (output - target) * (1 - output.square())
    return by_sum * x, by_sum
