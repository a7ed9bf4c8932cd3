"""Right and wrong answers to `refresher.side_by_side`."""

import torch

from grader.author.answers import right, wrong


@right
def concatenated(images):
    return torch.cat(list(images), dim=1)


@right
def permuted(images):
    return images.permute(1, 0, 2).flatten(1)


@right
def written_into_place(images):
    count, height, width = images.shape
    strip = torch.empty(height, count * width, dtype=images.dtype)
    for number in range(count):
        strip[:, number * width : (number + 1) * width] = images[number]
    return strip


wrong(
    "reshaped_alone",
    why=(
        "`reshape` keeps the order of the numbers in memory and only cuts it elsewhere: it mixes "
        "the rows of the pictures; `transpose` first."
    ),
    change={".transpose(0, 1)": ""},
)


wrong(
    "below_one_another",
    why="The pictures were joined along their rows: a column of pictures, (N H, W).",
    change={
        "images.transpose(0, 1).reshape(height, count * width)": (
            "images.reshape(count * height, width)"
        )
    },
)


wrong(
    "columns_interleaved",
    why=(
        "The axis of the pictures came last, so that their columns alternate: column 0 of every "
        "picture, then column 1 of every picture."
    ),
    change={"transpose(0, 1)": "permute(1, 2, 0)"},
)


wrong(
    "pictures_turned",
    why="Each picture was transposed: its rows stand as columns in the strip.",
    change={
        "images.transpose(0, 1)": "images.permute(2, 0, 1)",
        "height, count * width": "width, -1",
    },
)


wrong(
    "from_right_to_left",
    why="The pictures stand in the opposite order: the first one belongs to the left.",
    change={"images.transpose(0, 1)": "images.flip(0).transpose(0, 1)"},
)


wrong(
    "three_axes_left",
    why=(
        "The axes were transposed but not joined: (H, N, W) has the numbers in the right order, "
        "and one axis too many."
    ),
    change={".reshape(height, count * width)": ""},
)
