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
        "One reshape to (heads, T, d_k) cuts the numbers in the order in which they lie in memory: "
        "a head then gets all features of some positions, where it should get some features of all "
        "positions. Reshape the features alone, then transpose."
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
        "The heads come after the positions: attention, which works on the last two axes, would "
        "let the heads of one position look at each other."
    ),
    change={".transpose(-3, -2)": ""},
)


wrong(
    "every_third_feature",
    why=(
        "Your head gets every so-many-th feature. It gets neighbors: the first D/heads features "
        "are head 0. Otherwise weights that were trained elsewhere fit no more."
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
        "`transpose(1, 2)` counts axes from the front and is right for one batch axis only; count "
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
        "Where D is no multiple of the number of heads you dropped the features that are left "
        "over. That hides a wrong size; the statement asks for a ValueError."
    ),
    change={
        "raise ValueError(": "x = x[..., : x.shape[-1] // num_heads * num_heads]\n        str(",
    },
    corner=True,
)
