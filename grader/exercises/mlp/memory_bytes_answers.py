"""Right and wrong answers to `mlp.memory_bytes`."""

import torch

from grader.author.answers import right, wrong


@right
def numbers_first_then_bytes(sizes, *, batch=1, itemsize=4):
    count = sum(a * b for a, b in zip(sizes, sizes[1:])) + sum(sizes[1:])
    kept = batch * sum(size for size in list(sizes)[: len(sizes) - 1])
    numbers = {"parameters": count, "gradients": count, "outputs": kept}
    return {name: itemsize * number for name, number in numbers.items()}


@right
def layers_on_the_meta_device(sizes, *, batch=1, itemsize=4):
    layers = [torch.nn.Linear(a, b, device="meta") for a, b in zip(sizes, sizes[1:])]
    held = itemsize * sum(p.numel() for layer in layers for p in layer.parameters())
    outputs = [itemsize * batch * layer.in_features for layer in layers]
    return {"parameters": held, "gradients": held, "outputs": sum(outputs)}


wrong(
    "biases_forgotten",
    why=("The weights were counted without the biases, one for each output of a layer."),
    change={"(d_in + 1) * d_out": "d_in * d_out"},
)


wrong(
    "scores_kept",
    why=(
        "The scores were counted among the kept outputs; the cache holds the inputs of the "
        "layers, o_0 to o_{N−1}."
    ),
    change={"sum(sizes[:-1])": "sum(sizes)"},
)


wrong(
    "input_not_kept",
    why=("o_0 = x is missing: the first layer needs it for the gradient of its weights."),
    change={"sum(sizes[:-1])": "sum(sizes[1:-1])"},
)


wrong(
    "what_layers_put_out",
    why=(
        "The outputs of the layers were counted, with the scores and without x; the cache holds "
        "their *inputs*, o_0 to o_{N−1}."
    ),
    change={"sum(sizes[:-1])": "sum(sizes[1:])"},
)


wrong(
    "both_sides_of_the_activation",
    why=(
        "Both a_l and o_l were counted for the hidden layers; the slope of the "
        "activation follows from o_l alone, so `forward` keeps no a_l."
    ),
    change={"sum(sizes[:-1])": "(sum(sizes[:-1]) + sum(sizes[1:-1]))"},
)


wrong(
    "cache_without_batch",
    why=("The outputs were counted for one example; each of the B examples has its own."),
    change={"itemsize * batch * sum": "itemsize * sum"},
)


wrong(
    "gradients_per_example",
    why=(
        "The gradients were multiplied by the batch; they are summed over it, "
        "one number per parameter."
    ),
    change={'"gradients": parameters': '"gradients": batch * parameters'},
)


wrong(
    "numbers_for_bytes",
    why="The parameters were counted, but not their bytes; each takes `itemsize` bytes.",
    change={"parameters = itemsize * sum": "parameters = sum"},
)
