"""Right and wrong answers to `transformer.split_heads`."""

import torch

from grader.author.answers import right, wrong


@right
def slices_stacked(x, num_heads):
    if x.shape[-1] % num_heads != 0:
        raise ValueError("not divisible")
    size = x.shape[-1] // num_heads
    parts = [x[..., head * size : (head + 1) * size] for head in range(num_heads)]
    return torch.stack(parts, dim=-3)


@right
def view_and_movedim(x, num_heads):
    size, rest = divmod(x.size(-1), num_heads)
    if rest:
        raise ValueError("not divisible")
    return x.reshape(x.shape[:-1] + (num_heads, size)).movedim(-2, -3)


wrong(
    "reshaped_at_once",
    why=(
        "One reshape to (heads, T, d_k) cuts the numbers in memory order: a head gets all features "
        "of some positions instead of some features of all positions. Reshape only the feature "
        "axis, then transpose."
    ),
    change={
        "return x.unflatten(-1, (num_heads, -1)).transpose(-3, -2)": (
            "return x.reshape(*x.shape[:-2], num_heads, x.shape[-2], x.shape[-1] // num_heads)"
        )
    },
)


wrong(
    "not_swapped",
    why=(
        "The head axis comes after the position axis: attention works on the last two axes, so the "
        "heads of one position would attend to each other."
    ),
    change={".transpose(-3, -2)": ""},
)


wrong(
    "every_third_feature",
    why=(
        "Your heads take features at regular intervals. A head takes neighboring features: the "
        "first D/heads features are head 0. Otherwise, weights trained elsewhere do not fit."
    ),
    change={
        "return x.unflatten(-1, (num_heads, -1)).transpose(-3, -2)": (
            "return x.unflatten(-1, (-1, num_heads)).movedim(-1, -3)"
        )
    },
)


wrong(
    "axes_from_the_front",
    why=(
        "`transpose(1, 2)` counts axes from the front and is right only for one batch axis; count "
        "from the end."
    ),
    change={
        "return x.unflatten(-1, (num_heads, -1)).transpose(-3, -2)": (
            "x = x.unflatten(-1, (num_heads, -1))\n    return x.transpose(1, 2)"
        )
    },
    corner=True,
)


wrong(
    "rest_dropped",
    why=(
        "If D is not a multiple of the number of heads, you drop the features that are left over. "
        "That hides a wrong size: raise a ValueError."
    ),
    change={
        "raise ValueError(": "x = x[..., : x.shape[-1] // num_heads * num_heads]\n        str(",
    },
    corner=True,
)
