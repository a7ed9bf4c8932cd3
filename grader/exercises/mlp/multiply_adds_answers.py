"""Right and wrong answers to `mlp.multiply_adds`."""

from grader.author.answers import right, wrong


@right
def layer_by_layer(sizes, *, batch=1, input_gradient=False):
    ahead = back = 0
    for layer in range(1, len(sizes)):
        product = batch * sizes[layer - 1] * sizes[layer]
        ahead += product
        back += product
        if layer > 1 or input_gradient:
            back += product
    return ahead, back


@right
def weights_and_inputs_apart(sizes, *, batch=1, input_gradient=False):
    weights = sum(a * b for a, b in zip(sizes, sizes[1:]))
    by_input = weights if input_gradient else sum(a * b for a, b in zip(sizes[1:], sizes[2:]))
    return batch * weights, batch * (weights + by_input)


wrong(
    "backward_like_forward",
    why=(
        "Backward was counted once per layer, but there are two products: one "
        "makes the gradient of the weights, the other that of the layer's "
        "input."
    ),
    change={
        "2 * forward if input_gradient else 2 * forward - first": (
            "forward if input_gradient else forward - first"
        )
    },
)


wrong(
    "weights_alone",
    why=(
        "Without `input_gradient` only the gradients of the weights were counted, but the hidden "
        "layers still pass δ down; only the first layer does not."
    ),
    change={"2 * forward - first": "forward"},
)


wrong(
    "input_gradient_always",
    why=(
        "∂L/∂x was counted although `input_gradient` is False; the first layer then needs "
        "only the gradient of its weights."
    ),
    change={"2 * forward if input_gradient else 2 * forward - first": "2 * forward"},
)


wrong(
    "batch_forgotten",
    why="The batch is missing: every example passes through every product.",
    change={"batch * d_in * d_out": "d_in * d_out"},
)


wrong(
    "additions_apart",
    why=(
        "Multiplications and additions were counted separately; the unit here "
        "is the multiply-add, one of each (torch's FlopCounterMode counts "
        "both, so twice as many)."
    ),
    change={"batch * d_in * d_out": "2 * batch * d_in * d_out"},
)


wrong(
    "biases_counted",
    why=(
        "The additions of the biases were counted as multiply-adds; they are d_out per example, "
        "compared with d_in · d_out, and by convention left out."
    ),
    change={"batch * d_in * d_out": "batch * (d_in + 1) * d_out"},
)


wrong(
    "last_layer_spared",
    why=(
        "The product of the last layer was left out of the backward pass; it "
        "is the first layer whose input needs no gradient."
    ),
    change={"products[0]": "products[-1]"},
)
