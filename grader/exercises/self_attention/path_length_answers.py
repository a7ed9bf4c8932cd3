"""Right and wrong answers to `self_attention.path_length`."""

from grader.author.answers import right, wrong


@right
def with_a_loop(layer, *, length, width=3):
    if layer not in ("attention", "recurrent", "convolution"):
        raise ValueError(f"no layer {layer!r}")
    reach = {"attention": length - 1, "recurrent": 1, "convolution": width - 1}[layer]
    hops, at = 0, 0
    while at < length - 1:
        at += reach
        hops += 1
    return hops


@right
def written_otherwise(layer, *, length, width=3):
    if layer not in ("attention", "recurrent", "convolution"):
        raise ValueError(f"no layer {layer!r}")
    if layer == "attention":
        return 1
    step = 1 if layer == "recurrent" else width - 1
    return -(-(length - 1) // step)


wrong(
    "rounded_down",
    why=("You rounded down: a layer that covers part of the rest is still needed."),
    change={"math.ceil((length - 1) / (width - 1))": "(length - 1) // (width - 1)"},
)


wrong(
    "whole_width",
    why=("A causal kernel of width w reaches back w − 1 positions, since one of the w is its own."),
    change={"(length - 1) / (width - 1)": "length / width"},
)


wrong(
    "steps_not_hops",
    why=("From the first of T positions to the last there are T − 1 steps, not T."),
    change={'"recurrent": length - 1': '"recurrent": length'},
)


wrong(
    "dilated",
    why=(
        "log T holds for dilated convolutions, whose reach doubles from layer "
        "to layer; with plain kernels each layer adds the same w − 1 positions."
    ),
    change={"math.ceil((length - 1) / (width - 1))": "math.ceil(math.log(length, width))"},
)


wrong(
    "attention_walks",
    why=(
        "Attention compares the last position with the first directly: one "
        "hop, whatever lies between them."
    ),
    change={'"attention": 1': '"attention": length - 1'},
)
