"""Right and wrong answers to `self_attention.path_length`."""

from grader.author.answers import right, wrong


@right
def reach_of_a_hop(layer, *, length, width=3):
    if layer == "dilated":
        hops, seen = 0, 1
        while seen < length:
            hops, seen = hops + 1, seen * width
        return hops
    reach = {"attention": length - 1, "recurrent": 1, "convolution": width - 1}
    if layer not in reach:
        raise ValueError(f"no layer {layer!r}")
    return (length - 2) // reach[layer] + 1


@right
def division_rounded_up(layer, *, length, width=3):
    if layer not in ("attention", "recurrent", "convolution", "dilated"):
        raise ValueError(f"no layer {layer!r}")
    if layer == "attention":
        return 1
    if layer == "dilated":  # digits of T - 1 to the base of the width
        digits, rest = 0, length - 1
        while rest:
            digits, rest = digits + 1, rest // width
        return digits
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
    "plain_as_dilated",
    why=(
        "log T holds for dilated layers, each with `width` times the dilation of the one before; "
        "with plain kernels each layer adds the same w − 1 positions."
    ),
    change={
        "math.ceil((length - 1) / (width - 1))": (
            "next(n for n in itertools.count(1) if width**n >= length)"
        )
    },
)


wrong(
    "dilated_as_plain",
    why=(
        "In a dilated stack every layer sees `width` times as many positions as the one before; "
        "you let each add w − 1."
    ),
    change={
        "next(n for n in itertools.count(1) if width**n >= length)": (
            "math.ceil((length - 1) / (width - 1))"
        )
    },
)


wrong(
    "doubled_by_each_layer",
    why=(
        "The positions lie `width` times as far apart from layer to layer, not twice: twice is "
        "right for a width of 2 alone."
    ),
    change={
        "if width**n >= length": "if (width - 1) * (2**n - 1) >= length - 1",
    },
)


wrong(
    "logarithm_rounded",
    why=(
        "A logarithm of floats is not exact: log 125 / log 5 comes out a little above 3, and is "
        "rounded up to 4. Multiply whole numbers."
    ),
    change={
        "next(n for n in itertools.count(1) if width**n >= length)": (
            "math.ceil(math.log(length, width))"
        )
    },
)


wrong(
    "one_position_not_counted",
    why="n layers see width to the n positions, including the last one: compare with T, not T − 1.",
    change={"if width**n >= length": "if width**n >= length - 1"},
)


wrong(
    "one_layer_too_many",
    why="Where T is a power of the width, that power is enough.",
    change={"if width**n >= length": "if width**n > length"},
)


wrong(
    "attention_walks",
    why=(
        "Attention compares the last position with the first directly: one "
        "hop, whatever lies between them."
    ),
    change={'"attention": 1': '"attention": length - 1'},
)


wrong(
    "rounded_to_the_nearest",
    why=(
        "You rounded to the nearest number: a layer that covers a small part of the rest is still "
        "needed, so round up."
    ),
    change={"math.ceil((length - 1) / (width - 1))": "max(1, round((length - 1) / (width - 1)))"},
)


@wrong(
    why=(
        "You walked hop by hop, and there may be as many as there are positions, up to 2⁵³: it "
        "would take years. Divide the distance by the reach of a hop."
    ),
    corner=True,
)
def hop_after_hop(layer, *, length, width=3):
    if layer not in ("attention", "recurrent", "convolution", "dilated"):
        raise ValueError(f"no layer {layer!r}")
    hops, at = 0, 0
    while at < length - 1:
        at += {
            "attention": length - 1,
            "recurrent": 1,
            "convolution": width - 1,
            "dilated": (width - 1) * width**hops,
        }[layer]
        hops += 1
    return hops
