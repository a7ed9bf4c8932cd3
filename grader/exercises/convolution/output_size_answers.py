"""Right and wrong answers to `convolution.output_size`."""

from grader.author.answers import right, wrong


@right
def length_of_a_range(size, kernel_size, *, stride=1, padding=0, dilation=1):
    if size + 2 * padding < dilation * (kernel_size - 1) + 1:
        raise ValueError("the kernel fits nowhere")
    last = size + 2 * padding - dilation * (kernel_size - 1)
    return len(range(0, last, stride))


@right
def walk_until_it_sticks_out(size, kernel_size, *, stride=1, padding=0, dilation=1):
    if size + 2 * padding < dilation * (kernel_size - 1) + 1:
        raise ValueError("the kernel fits nowhere")
    count, start = 0, -padding
    while start + dilation * (kernel_size - 1) < size + padding:
        count, start = count + 1, start + stride
    return count


wrong(
    "first_place_forgotten",
    why=("A kernel that can move by n strides has n + 1 places: it also stands where it begins."),
    change={"// stride + 1": "// stride"},
)


wrong(
    "rounded_up",
    why=(
        "The last stride would carry the kernel over the edge, so a part of a "
        "stride does not count: round down."
    ),
    change={"(size + 2 * padding - span) // stride": "-((span - size - 2 * padding) // stride)"},
)


wrong(
    "padding_at_one_end",
    why=("The zeros are added at both ends of the axis, so the padding counts twice."),
    change={"return (size + 2 * padding": "return (size + padding"},
)


wrong(
    "dilation_times_kernel",
    why=("k weights have k − 1 gaps between them: the span is d (k − 1) + 1, not d k."),
    change={"dilation * (kernel_size - 1) + 1": "dilation * kernel_size"},
)


wrong(
    "span_without_its_one",
    why=(
        "k weights that lie d apart span d (k − 1) + 1 pixels; you left out "
        "the 1, as if the first weight took no room."
    ),
    change={"dilation * (kernel_size - 1) + 1": "dilation * (kernel_size - 1)"},
)


wrong(
    "divided_into_a_float",
    why=("`/` gives a number with a fraction; places are counted in whole numbers, `//`."),
    change={"// stride": "/ stride"},
)


wrong(
    "one_added_before_dividing",
    why=(
        "The 1 is the first place and belongs after the division; inside it "
        "counts as one more pixel to move by."
    ),
    change={
        "(size + 2 * padding - span) // stride + 1": ("(size + 2 * padding - span + 1) // stride")
    },
)


wrong(
    "a_full_axis_refused",
    why="A kernel that spans exactly the padded axis fits once; only a longer one fits nowhere.",
    change={"if span > size + 2 * padding": "if span >= size + 2 * padding"},
)


wrong(
    "refused_without_padding",
    why="Whether the kernel fits is asked of the padded axis, not of the picture alone.",
    change={"if span > size + 2 * padding": "if span > size"},
)


wrong(
    "gaps_not_refused",
    why="Whether the kernel fits depends on what it spans, gaps included, not on its weights.",
    change={"if span > size + 2 * padding": "if kernel_size > size + 2 * padding"},
    corner=True,
)


wrong(
    "missing_room_rounded_to_zero",
    why=(
        "You checked the result, not the available space: `int` rounds −1/3 to 0, so with "
        "a stride a kernel that is too large seems to fit once. Compare span and axis "
        "before you divide."
    ),
    change={
        "if span > size + 2 * padding": "if int((size + 2 * padding - span) / stride) + 1 < 1",
        "return (size + 2 * padding - span) // stride + 1": (
            "return int((size + 2 * padding - span) / stride) + 1"
        ),
    },
    corner=True,
)
