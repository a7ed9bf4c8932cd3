"""Right and wrong answers to `mlp.numerical_gradient`."""

import torch
from torch.nn import functional as F

from grader.author.answers import right, wrong
from solutions.mlp import backward, forward


@right
def row_and_column(x, target, *, weights, biases, activation, layer, step):
    weights = list(weights)
    center = weights[layer]
    slope = torch.empty_like(center)
    for row in range(center.shape[0]):
        for column in range(center.shape[1]):
            sides = []
            for sign in (1.0, -1.0):
                moved = center.clone()
                moved[row, column] = moved[row, column] + sign * step
                weights[layer] = moved
                scores = forward(x, weights, biases, activation=activation)[0]
                right = scores.log_softmax(dim=1).gather(1, target[:, None])
                sides.append(-right.mean())
            slope[row, column] = (sides[0] - sides[1]) / step / 2
    return slope


@right
def all_moves_stacked(x, target, *, weights, biases, activation, layer, step):
    size = weights[layer].numel()
    moves = step * torch.eye(size, dtype=x.dtype).reshape(size, *weights[layer].shape)
    losses = []
    for move in torch.cat([moves, -moves]):
        moved = list(weights)
        moved[layer] = weights[layer] + move
        scores, _ = forward(x, moved, biases, activation=activation)
        losses.append(F.nll_loss(torch.log_softmax(scores, 1), target))
    up, down = torch.stack(losses).chunk(2)
    return ((up - down) / (2 * step)).reshape(weights[layer].shape)


wrong(
    "one_sided",
    why=(
        "The loss at w was subtracted from that at w + ε; the error of this "
        "one-sided quotient shrinks like ε, that of the central one like ε²."
    ),
    change={"loss(i, -step)) / (2 * step)": "loss(i, 0.0)) / step"},
)


wrong(
    "half_the_distance",
    why=(
        "From w − ε to w + ε is a distance of 2ε; divided by ε, every "
        "derivative comes out twice as large."
    ),
    change={"(2 * step)": "step"},
)


wrong(
    "whole_matrix_nudged",
    why=(
        "All weights were moved at once, which measures the sum of all "
        "derivatives; move one and leave the others where they are."
    ),
    change={"nudged[index] += nudge": "nudged += nudge"},
)


@wrong(
    why=(
        "The nudged weights were not put back, so every entry is measured at a different point "
        "from the one that was given."
    )
)
def nudges_pile_up(x, target, *, weights, biases, activation, layer, step):
    weights = [weight.clone() for weight in weights]
    slope = torch.zeros_like(weights[layer])

    def loss():
        return F.cross_entropy(forward(x, weights, biases, activation=activation)[0], target)

    for index in range(slope.numel()):
        entry = weights[layer].view(-1)
        entry[index] += step
        above = loss()
        entry[index] -= 2 * step
        slope.view(-1)[index] = (above - loss()) / (2 * step)
    return slope


@wrong(
    why=(
        "The caller's weights were nudged and moved back by the same amount, "
        "but w + ε − ε is w only up to rounding: nudge a copy, or keep the old "
        "number and write it back."
    )
)
def put_back_by_arithmetic(x, target, *, weights, biases, activation, layer, step):
    weight = weights[layer]
    slope = torch.zeros_like(weight)

    def loss():
        return F.cross_entropy(forward(x, weights, biases, activation=activation)[0], target)

    for row in range(weight.shape[0]):
        for column in range(weight.shape[1]):
            weight[row, column] += step
            above = loss()
            weight[row, column] -= 2 * step
            below = loss()
            weight[row, column] += step
            slope[row, column] = (above - below) / (2 * step)
    return slope


wrong(
    "copy_never_used",
    why=(
        "A copy was nudged, and the loss was computed from the weights that "
        "stayed where they were: both losses are equal, and every derivative "
        "is 0."
    ),
    change={"stack[layer] = nudged.reshape(weights[layer].shape)": "nudged.square()"},
)


wrong(
    "step_in_proportion",
    why=(
        "The weight was moved by a fraction ε of itself, but the difference "
        "was divided by 2ε: this is w · ∂L/∂w."
    ),
    change={"nudged[index] += nudge": "nudged[index] *= 1 + nudge"},
)


wrong(
    "loss_summed",
    why=("The loss was summed over the examples; the derivative of the mean is B times smaller."),
    change={
        "activation=activation)[0], target)": (
            'activation=activation)[0], target, reduction="sum")'
        )
    },
)


wrong(
    "down_minus_up",
    why=("L(w − ε) − L(w + ε) has the opposite sign: the gradient points to where the loss grows."),
    change={"(loss(i, step) - loss(i, -step))": "(loss(i, -step) - loss(i, step))"},
)


@wrong(
    why=(
        "This is the exact gradient, from backpropagation or from a tiny step. Compute it from "
        "losses alone, with the given step: with a large step the two differ."
    )
)
def analytic_gradient(x, target, *, weights, biases, activation, layer, step):
    scores, outputs = forward(x, weights, biases, activation=activation)
    grad = (scores.softmax(dim=1) - F.one_hot(target, scores.shape[1])) / len(x)
    return backward(grad, outputs, weights, activation=activation)[1][layer]
