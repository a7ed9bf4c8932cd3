"""Right and wrong answers to `mlp.jvp`."""

import torch

from grader.author.answers import right, wrong
from solutions.mlp import activation_backward


@right
def matrices_multiplied_first(tangent, outputs, weights, *, activation):
    jacobian = weights[0].expand(len(tangent), *weights[0].shape)
    for o, weight in zip(outputs[1:], weights[1:]):
        slopes = activation_backward(torch.ones_like(o), o, activation)
        jacobian = torch.einsum("kj,bj,bji->bki", weight, slopes, jacobian)
    return torch.einsum("bki,bi->bk", jacobian, tangent)


@right
def slopes_after_each_hidden_layer(tangent, outputs, weights, *, activation):
    for layer in range(len(weights) - 1):
        moved = torch.einsum("oi,bi->bo", weights[layer], tangent)
        tangent = activation_backward(moved, outputs[layer + 1], activation)
    return torch.einsum("oi,bi->bo", weights[-1], tangent)


wrong(
    "slopes_forgotten",
    why="The tangent passed the activations unchanged; each multiplies it by σ′.",
    change={"tangent = activation_backward(tangent, outputs[layer], activation)": "pass"},
)


wrong(
    "slope_at_the_input",
    why="The tangent was multiplied by a slope before the first layer: x came out of no σ.",
    change={
        "        if layer:\n            tangent = activation_backward": (
            "        if True:\n            tangent = activation_backward"
        )
    },
)


wrong(
    "slope_of_the_layer_before",
    why=(
        "σ′ was computed from the input of the layer below instead of its output; if both have "
        "the same width, no error warns you."
    ),
    change={"outputs[layer], activation": "outputs[layer - 1], activation"},
)


@wrong(
    why=(
        "The slopes were applied before the layer and not after it: first W takes the tangent to "
        "a_l, and there σ′ multiplies it."
    )
)
def slope_before_the_weights(tangent, outputs, weights, *, activation):
    for layer in range(len(weights) - 1):
        tangent = activation_backward(tangent, outputs[layer], activation) @ weights[layer].T
    return tangent @ weights[-1].T


@wrong(
    why=(
        "The network was applied to the tangent, activations and all; a derivative is linear in "
        "the tangent, and σ′ is taken at the outputs that were kept."
    )
)
def network_of_the_tangent(tangent, outputs, weights, *, activation):
    known = {"relu": torch.relu, "sigmoid": torch.sigmoid, "tanh": torch.tanh}
    for weight in weights[:-1]:
        tangent = known.get(activation, torch.clone)(tangent @ weight.T)
    return tangent @ weights[-1].T


wrong(
    "weights_not_transposed",
    why=(
        "W was used as if the tangent were a gradient on its way down; examples are rows, so the "
        "forward product is ȯ Wᵀ."
    ),
    change={"tangent @ weight.T": "tangent @ weight"},
)


wrong(
    "direction_normalized",
    why=(
        "The tangent was divided by its length, and the result multiplied by it: for a direction "
        "of zeros this is 0 / 0, which is NaN. The formula is linear and needs no length."
    ),
    change={
        "    for layer": (
            "    length = tangent.norm()\n    tangent = tangent / length\n    for layer"
        ),
        "return tangent": "return tangent * length",
    },
    corner=True,
)
