"""Right and wrong answers to `model_compression.absmax_scale`."""

import torch

from grader.author.answers import right, wrong


@right
def by_a_norm(x, bits, *, dim=None):
    axes = tuple(range(x.ndim)) if dim is None else (dim,)
    largest = torch.linalg.vector_norm(x, float("inf"), dim=axes, keepdim=dim is not None)
    scale = largest / (2 ** (bits - 1) - 1)
    return scale.masked_fill(largest == 0, 1.0)


@right
def both_ends(x, bits, *, dim=None):
    if dim is None:
        largest = torch.maximum(x.max(), -x.min())
    else:
        largest = torch.maximum(x.amax(dim, True), -x.amin(dim, True))
    scale = largest / (2 ** (bits - 1) - 1)
    return torch.where(scale == 0, torch.ones_like(scale), scale)


wrong(
    "sign_forgotten",
    why="You took the largest number, and not the largest magnitude: negative weights get cut off.",
    change={
        "x.abs().amax()": "x.amax()",
        "x.abs().amax(dim=dim, keepdim=True)": "x.amax(dim=dim, keepdim=True)",
    },
)


wrong(
    "two_to_the_bits",
    why=(
        "You divided by 2^b − 1. Half of the codes are negative, so the largest one is 2^(b−1) − 1."
    ),
    change={"largest_code(bits)": "(2**bits - 1)"},
)


wrong(
    "one_code_too_many",
    why="You divided by 2^(b−1). This code does not exist: the largest one is 2^(b−1) − 1.",
    change={"largest_code(bits)": "2 ** (bits - 1)"},
)


wrong(
    "scale_upside_down",
    why=(
        "You returned L / max |x|, by which one multiplies. The scale is the size of a step, "
        "max |x| / L."
    ),
    change={"largest / largest_code(bits)": "largest_code(bits) / largest"},
)


wrong(
    "axis_lost",
    why="The axis is gone, so the scales cannot be broadcast to the rows; keep it with size 1.",
    change={"keepdim=True": "keepdim=False"},
)


wrong(
    "zero_scale",
    why="Zeros alone have the scale 0, and dividing by it gives NaN; use 1 there.",
    change={
        "return torch.where(largest > 0, largest / largest_code(bits), 1.0)": (
            "return largest / largest_code(bits)"
        )
    },
    corner=True,
)


wrong(
    "axis_ignored",
    why="You ignored `dim`: one large weight then sets the scale of all rows.",
    change={"if dim is None": "if dim is None or dim is not None"},
)
