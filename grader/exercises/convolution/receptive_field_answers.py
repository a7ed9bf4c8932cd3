"""Right and wrong answers to `convolution.receptive_field`."""

import math

from grader.author.answers import right, wrong


@right
def with_reversed(layers):
    field = 1
    jump = 1
    for kernel_size, stride, dilation in reversed(list(layers)):  # from the output down
        field = (field - 1) * stride + dilation * (kernel_size - 1) + 1
        jump = jump * stride
    return field, jump


@right
def with_prod(layers):
    strides = [stride for _, stride, _ in layers]
    jumps = [math.prod(strides[:n]) for n in range(len(layers) + 1)]
    reach = [(k - 1) * d * jump for (k, _, d), jump in zip(layers, jumps, strict=False)]
    return 1 + sum(reach), jumps[-1]


@wrong(
    why=(
        "The stride of a layer spreads its outputs, so it counts for the "
        "layers after it; you multiplied before adding this layer's share."
    )
)
def jump_updated_first(layers):
    field, jump = 1, 1
    for kernel_size, stride, dilation in layers:
        jump *= stride
        field += (kernel_size - 1) * dilation * jump
    return field, jump


wrong(
    "jump_ignored",
    why=(
        "After a stride one step is several pixels, so later layers see "
        "further; you added k − 1 pixels for each."
    ),
    change={"* dilation * jump": "* dilation"},
)


wrong(
    "kernels_added",
    why=("The first weight looks at a pixel that counts already; a kernel adds k − 1 pixels."),
    change={"(kernel_size - 1)": "kernel_size"},
)


wrong(
    "dilation_ignored",
    why=("With dilation d the weights lie d apart, so a kernel reaches d (k − 1) further."),
    change={"* dilation ": ""},
)


wrong(
    "strides_added",
    why="Strides multiply: every second of every second pixel is every fourth.",
    change={"jump *= stride": "jump += stride - 1"},
)


wrong(
    "started_at_zero",
    why="Before any layer an output is a pixel, and it sees one: itself.",
    change={"field, jump = 1, 1": "field, jump = 0, 1"},
)
