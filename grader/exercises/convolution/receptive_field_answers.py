"""Right and wrong answers to `convolution.receptive_field`."""

import math

from grader.author.answers import right, wrong


@right
def from_the_output_down(layers):
    """Ask which inputs the outputs 0 and 1 need, layer by layer."""
    first = [0, 0]  # first and last pixel that output 0 sees
    other = 1
    for kernel_size, stride, dilation, padding in reversed(list(layers)):
        first = [
            stride * first[0] - padding,
            stride * first[1] - padding + dilation * (kernel_size - 1),
        ]
        other = stride * other - padding
    return first[1] - first[0] + 1, other - first[0], first[0]


@right
def sums_over_products_of_strides(layers):
    strides = [stride for _, stride, _, _ in layers]
    steps = [math.prod(strides[:n]) for n in range(len(layers) + 1)]
    reach = [(layer[0] - 1) * layer[2] * step for layer, step in zip(layers, steps, strict=False)]
    before = [layer[3] * step for layer, step in zip(layers, steps, strict=False)]
    return 1 + sum(reach), steps[-1], -sum(before)


@wrong(
    why=(
        "The stride of a layer spreads its outputs, so it counts for the "
        "layers after it; you multiplied before adding this layer's share."
    )
)
def step_updated_first(layers):
    field, step, start = 1, 1, 0
    for kernel_size, stride, dilation, padding in layers:
        step *= stride
        start -= padding * step
        field += (kernel_size - 1) * dilation * step
    return field, step, start


wrong(
    "step_ignored",
    why=(
        "After a stride one step is several pixels, so later layers see "
        "further; you added k − 1 pixels for each."
    ),
    change={"* dilation * step": "* dilation"},
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
    change={"step *= stride": "step += stride - 1"},
)


wrong(
    "started_at_zero",
    why="Before any layer an output is a pixel, and it sees one: itself.",
    change={"field, step, start = 1, 1, 0": "field, step, start = 0, 1, 0"},
)


wrong(
    "padding_in_pixels",
    why=(
        "The padding of a later layer is in that layer's own inputs, and each of them is `step` "
        "pixels wide."
    ),
    change={"start -= padding * step": "start -= padding"},
)


wrong(
    "start_inside",
    why="Padding moves the first view to the left, out of the picture: the start is negative.",
    change={"start -= padding": "start += padding"},
)


wrong(
    "start_of_the_last_layer",
    why="You kept the padding of the last layer alone; what every layer adds in front adds up.",
    change={"start -= padding * step": "start = -padding * step"},
)


wrong(
    "start_where_the_picture_starts",
    why="You cut the view off at the picture; the zeros that padding added are seen as well.",
    change={"return field, step, start": "return field, step, max(start, 0)"},
)


wrong(
    "field_without_padding",
    why=(
        "You took the padding off the field; the kernel spans as many pixels whether some of them "
        "are padding or not."
    ),
    change={"return field, step, start": "return field + start, step, start"},
)
