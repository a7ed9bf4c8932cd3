"""Right and wrong answers to `mlp.backward`."""

import torch

from grader.author.answers import right, wrong
from solutions.mlp import activation_backward, linear_backward


@right
def all_deltas_first(grad, outputs, weights, *, activation):
    deltas = [grad]
    for layer in range(len(weights) - 1, 0, -1):
        below = torch.einsum("bo,oi->bi", deltas[0], weights[layer])
        deltas.insert(0, activation_backward(below, outputs[layer], activation))
    by_weight = [torch.einsum("bo,bi->oi", d, o) for d, o in zip(deltas, outputs)]
    return deltas[0] @ weights[0], by_weight, [delta.sum(dim=0) for delta in deltas]


@right
def recursive(grad, outputs, weights, *, activation):
    below, by_weight, by_bias = linear_backward(grad, outputs[-1], weights[-1])
    if len(weights) == 1:
        return below, [by_weight], [by_bias]
    below = activation_backward(below, outputs[-1], activation)
    x, rest, biases = recursive(below, outputs[:-1], weights[:-1], activation=activation)
    return x, [*rest, by_weight], [*biases, by_bias]


wrong(
    "slopes_forgotten",
    why=("δ went down through the weights alone; every activation on the way multiplies it by σ′."),
    change={
        "grad = activation_backward(grad, outputs[layer + 1], activation)": ("grad = grad * 1.0")
    },
)


wrong(
    "slope_of_another_layer",
    why=(
        "σ′ was computed from the layer's input instead of its output; if both have the same "
        "width, no error warns you."
    ),
    change={"outputs[layer + 1], activation": "outputs[layer], activation"},
)


wrong(
    "slope_at_the_input",
    why=("The last multiplication by σ′ is one too many: x did not come out of an activation."),
    change={
        "return grad, weight_grads": (
            "return activation_backward(grad, outputs[0], activation), weight_grads"
        )
    },
)


wrong(
    "lists_back_to_front",
    why=(
        "The gradients are in the order in which they were computed, the last layer first; list "
        "them in the order of the weights."
    ),
    change={
        "weight_grads.insert(0, weight_grad)": "weight_grads.append(weight_grad)",
        "bias_grads.insert(0, bias_grad)": "bias_grads.append(bias_grad)",
    },
)


@wrong(
    why=(
        "Every layer was given the gradient of the scores; each needs the one that the layer "
        "above has passed down."
    )
)
def gradient_not_handed_down(grad, outputs, weights, *, activation):
    weight_grads, bias_grads, delta = [], [], grad
    for layer in reversed(range(len(weights))):
        if weight_grads:
            delta = grad @ weights[layer + 1]
            delta = activation_backward(delta, outputs[layer + 1], activation)
        by_input, by_weight, by_bias = linear_backward(delta, outputs[layer], weights[layer])
        weight_grads.insert(0, by_weight)
        bias_grads.insert(0, by_bias)
    return by_input, weight_grads, bias_grads


@wrong(
    why=(
        "The order is reversed: first Wᵀ takes δ down to o_{l−1}, and there σ′ is applied; here "
        "σ′ came first, which raises no error if the layers have equal width."
    )
)
def slope_before_the_weights(grad, outputs, weights, *, activation):
    weight_grads, bias_grads = [], []
    for layer in reversed(range(len(weights))):
        below, by_weight, by_bias = linear_backward(grad, outputs[layer], weights[layer])
        weight_grads.insert(0, by_weight)
        bias_grads.insert(0, by_bias)
        if layer > 0:
            sloped = activation_backward(grad, outputs[layer], activation)
            below = sloped @ weights[layer]
        grad = below
    return grad, weight_grads, bias_grads
