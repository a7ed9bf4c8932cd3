"""Right and wrong answers to `mlp.collapse`."""

import torch

from grader.author.answers import right, wrong


@right
def unit_vectors_sent_through(weights, biases):
    size = weights[0].shape[1]
    origin = torch.zeros(1, size, dtype=weights[0].dtype)
    points = torch.cat([origin, torch.eye(size, dtype=weights[0].dtype)])
    for w, b in zip(weights, biases):
        points = points @ w.T + b
    bias = points[0].clone()
    return (points[1:] - bias).T, bias


@right
def product_of_all_above(weights, biases):
    def rest(layer):
        if layer == len(weights) - 1:
            return torch.eye(len(biases[-1]), dtype=biases[-1].dtype)
        return rest(layer + 1) @ weights[layer + 1]

    above = [rest(layer) for layer in range(len(weights))]
    return above[0] @ weights[0], sum(a @ b for a, b in zip(above, biases))


wrong(
    "order_reversed",
    why=(
        "The product was taken in the order W₁ W₂; the layer applied first "
        "stands next to x, on the right."
    ),
    change={"weights[layer] @ weight ": "weight @ weights[layer] "},
)


@wrong(
    why=(
        "W₁ was multiplied by W₂ᵀ from the right, which is the rule for a batch of rows; a "
        "weight maps d_{l−1} to d_l numbers, so the next one multiplies it from the left, not "
        "transposed."
    )
)
def weights_transposed(weights, biases):
    weight, bias = weights[0], biases[0]
    for layer in range(1, len(weights)):
        weight = weight @ weights[layer].T
        bias = bias @ weights[layer].T + biases[layer]
    return weight, bias


wrong(
    "biases_added_up",
    why=(
        "The biases were added unchanged; all but the last must also go through the layers above "
        "them."
    ),
    change={"weights[layer] @ bias + biases[layer]": "bias + biases[layer]"},
)


wrong(
    "last_bias_alone",
    why=(
        "Only the last bias was kept; those below are multiplied by the "
        "weights above and do not vanish."
    ),
    change={"weights[layer] @ bias + biases[layer]": "biases[layer]"},
)


wrong(
    "bias_through_its_own_layer",
    why=(
        "Each bias was multiplied by the weight of its own layer, but it is "
        "added after that layer's product: only the layers above act on it."
    ),
    change={
        "weight, bias = weights[0], biases[0]": (
            "weight, bias = weights[0], torch.zeros_like(biases[-1]) if "
            "len(weights) == 1 else biases[0]"
        ),
        "weights[layer] @ bias + biases[layer]": (
            "weights[layer] @ bias + weights[layer] @ weights[layer].T @ biases[layer]"
        ),
    },
)


wrong(
    "product_of_biases",
    why=(
        "The biases were multiplied with one another; they add up, after each has been "
        "multiplied by the weights above it."
    ),
    change={"+ biases[layer]": "* biases[layer]"},
)
