"""Right and wrong answers to `mlp.train_step`."""

import torch
from torch.nn import functional as F

from grader.author.answers import right, wrong
from solutions.mlp import activation_backward, backward, forward, linear_backward


@right
def one_subtracted_at_the_target(x, target, *, weights, biases, activation, learning_rate):
    scores, outputs = forward(x, weights, biases, activation=activation)
    log_p = scores - scores.logsumexp(dim=1, keepdim=True)
    rows = torch.arange(len(x))
    grad = log_p.exp()
    grad[rows, target] -= 1.0
    _, by_weight, by_bias = backward(grad / len(x), outputs, weights, activation=activation)
    return (
        -log_p[rows, target].mean(),
        [w - learning_rate * g for w, g in zip(weights, by_weight)],
        [b - learning_rate * g for b, g in zip(biases, by_bias)],
    )


@right
def summed_then_divided(x, target, *, weights, biases, activation, learning_rate):
    scores, outputs = forward(x, weights, biases, activation=activation)
    y = torch.nn.functional.one_hot(target, scores.shape[1]).to(scores.dtype)
    p = torch.softmax(scores, dim=1)
    _, *grads = backward(p - y, outputs, weights, activation=activation)
    rate = learning_rate / len(target)
    moved = [
        [value.sub(slope, alpha=rate) for value, slope in zip(values, slopes)]
        for values, slopes in zip((weights, biases), grads)
    ]
    return -(y * torch.log_softmax(scores, dim=1)).sum() / len(target), *moved


wrong(
    "not_a_mean",
    why=(
        "p − y is the gradient for one example; the loss is a mean over B of "
        "them, so it must be divided by B."
    ),
    change={"/ len(x)": "/ 1"},
)


wrong(
    "uphill",
    why="The gradient points in the direction in which the loss grows, and it was added.",
    change={
        "weights[layer] - learning_rate": "weights[layer] + learning_rate",
        "biases[layer] - learning_rate": "biases[layer] + learning_rate",
    },
)


wrong(
    "scores_for_probabilities",
    why=(
        "The softmax is missing: scores minus one-hot is the gradient of a "
        "squared error, not of the cross-entropy."
    ),
    change={"scores.softmax(dim=1)": "scores"},
)


wrong(
    "softmax_over_the_batch",
    why=(
        "The softmax ran over the examples, which then compete for each class; "
        "it belongs along the classes."
    ),
    change={"scores.softmax(dim=1)": "scores.softmax(dim=0)"},
)


wrong(
    "biases_stand_still",
    why=("The biases were returned unchanged: they have gradients and need the update too."),
    change={"biases[layer] - learning_rate * bias_grads[layer]": "biases[layer]"},
)


@wrong(
    why=(
        "Each layer was updated before δ passed through it, so the layers "
        "below got a gradient through weights that were never part of the "
        "forward pass."
    )
)
def updated_on_the_way_down(x, target, *, weights, biases, activation, learning_rate):
    scores, outputs = forward(x, weights, biases, activation=activation)
    loss = F.cross_entropy(scores, target)
    grad = (scores.softmax(dim=1) - F.one_hot(target, scores.shape[1])) / len(x)
    weights, biases = list(weights), list(biases)
    for layer in reversed(range(len(weights))):
        _, by_weight, by_bias = linear_backward(grad, outputs[layer], weights[layer])
        weights[layer] = weights[layer] - learning_rate * by_weight
        biases[layer] = biases[layer] - learning_rate * by_bias
        if layer:
            grad = grad @ weights[layer]
            grad = activation_backward(grad, outputs[layer], activation)
    return loss, weights, biases


@wrong(
    why=(
        "The caller's parameters were changed in place (`weight -= …`), but the docstring "
        "promises not to change them: return new tensors."
    )
)
def updated_in_place(x, target, *, weights, biases, activation, learning_rate):
    scores, outputs = forward(x, weights, biases, activation=activation)
    loss = F.cross_entropy(scores, target)
    grad = (scores.softmax(dim=1) - F.one_hot(target, scores.shape[1])) / len(x)
    _, *grads = backward(grad, outputs, weights, activation=activation)
    for values, slopes in zip((weights, biases), grads):
        for value, slope in zip(values, slopes):
            value -= learning_rate * slope
    return loss, weights, biases


wrong(
    "loss_as_a_plain_number",
    why=(
        "`.item()` turned the loss into a Python number; the docstring asks for a tensor of "
        "shape (), which stays on its device."
    ),
    change={"return loss,": "return loss.item(),"},
)


wrong(
    "loss_after_the_update",
    why=("The loss was computed again with the new parameters; return the loss before the update."),
    change={
        "return loss,": (
            "loss = F.cross_entropy(forward(x, new_weights, new_biases, "
            "activation=activation)[0], target); return loss,"
        )
    },
)


wrong(
    "log_of_the_softmax",
    why=(
        "The logarithm was taken of the softmax: a right class whose probability is rounded to 0 "
        "costs ∞ nats. `log_softmax`, or the cross-entropy on scores, has no such bound."
    ),
    change={
        "F.cross_entropy(scores, target)": (
            "F.nll_loss(torch.log(torch.softmax(scores, dim=1)), target)"
        )
    },
    corner=True,
)


wrong(
    "eps_in_the_logarithm",
    why=(
        "log(p + ε) is never infinite, but it is wrong: a surprise of thousands of nats becomes "
        "−log ε. Compute log p from the scores, with `log_softmax`."
    ),
    change={
        "F.cross_entropy(scores, target)": (
            "F.nll_loss(torch.log(torch.softmax(scores, dim=1) + 1e-12), target)"
        )
    },
    corner=True,
)
