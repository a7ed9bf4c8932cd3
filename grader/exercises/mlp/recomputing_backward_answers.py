"""Right and wrong answers to `mlp.recomputing_backward`."""

from grader.author.answers import right, wrong
from solutions.mlp import activate, activation_backward, backward, forward, linear_backward


@right
def recursive(grad, kept, weights, biases, *, activation, every):
    start = every * (len(kept) - 1)
    _, outputs = forward(kept[-1], weights[start:], biases[start:], activation=activation)
    below, by_weight, by_bias = backward(grad, outputs, weights[start:], activation=activation)
    if start == 0:
        return below, by_weight, by_bias
    below = activation_backward(below, kept[-1], activation)
    x, rest, shifts = recursive(
        below, kept[:-1], weights[:start], biases[:start], activation=activation, every=every
    )
    return x, [*rest, *by_weight], [*shifts, *by_bias]


@right
def layer_by_layer(grad, kept, weights, biases, *, activation, every):
    by_weight, by_bias = [None] * len(weights), [None] * len(weights)
    outputs = {}
    for layer in range(len(weights) - 1, -1, -1):
        if layer not in outputs:
            start = layer - layer % every
            outputs = {start: kept[start // every]}
            for other in range(start, layer):
                a = outputs[other] @ weights[other].T + biases[other]
                outputs[other + 1] = activate(a, activation)
        grad, by_weight[layer], by_bias[layer] = linear_backward(
            grad, outputs[layer], weights[layer]
        )
        if layer:
            grad = activation_backward(grad, outputs[layer], activation)
    return grad, by_weight, by_bias


wrong(
    "slope_between_stretches_forgotten",
    why=(
        "Between two stretches δ was not multiplied by σ′: the output that was kept there came "
        "out of an activation as well."
    ),
    change={
        "grad = activation_backward(grad, kept[start // every + 1], activation)": "pass",
    },
)


wrong(
    "slope_of_the_wrong_stretch",
    why=(
        "σ′ was computed at the start of the next stretch instead of at its end, where the "
        "gradient is."
    ),
    change={"kept[start // every + 1]": "kept[start // every]"},
)


@wrong(
    why=(
        "The gradients are right, but more was recomputed, or kept at the same time, than one "
        "stretch needs; each stretch starts from the output that was kept for it."
    )
)
def all_from_the_input(grad, kept, weights, biases, *, activation, every):
    _, outputs = forward(kept[0], weights, biases, activation=activation)
    return backward(grad, outputs, weights, activation=activation)


wrong(
    "first_stretch_first",
    why=(
        "The stretches were processed from the input up; the gradient comes from the scores, so "
        "the last stretch is the first to be recomputed."
    ),
    change={"reversed(range(0, len(weights), every))": "range(0, len(weights), every)"},
)


wrong(
    "stretches_back_to_front",
    why=(
        "The gradients of a stretch were put after those of the stretches above it; list them in "
        "the order of the weights."
    ),
    change={
        "by_weight + weight_grads": "weight_grads + by_weight",
        "by_bias + bias_grads": "bias_grads + by_bias",
    },
)


wrong(
    "rest_forgotten",
    why=(
        "If `every` does not divide the number of layers, the last stretch is shorter; it was "
        "left out."
    ),
    change={"range(0, len(weights), every)": "range(0, len(weights) - every + 1, every)"},
)


@wrong(
    why=(
        "`backward` was given the kept outputs as if they were those of neighboring layers; those "
        "between have to be computed first."
    )
)
def nothing_recomputed(grad, kept, weights, biases, *, activation, every):
    return backward(grad, kept, weights, activation=activation)
