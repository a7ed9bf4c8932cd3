"""Right and wrong answers to `vit.join_patches`."""

import torch

from grader.author.answers import right, wrong


@right
def placed_one_by_one(vectors, size, channels, width):
    across = width // size
    height = vectors.shape[1] // across * size
    image = vectors.new_zeros(len(vectors), channels, height, width)
    for number in range(vectors.shape[1]):
        top, left = number // across * size, number % across * size
        patch = vectors[:, number].reshape(-1, channels, size, size)
        image[:, :, top : top + size, left : left + size] = patch
    return image


@right
def rows_joined_then_stacked(vectors, size, channels, width):
    parts = [part.reshape(-1, channels, size, size) for part in vectors.unbind(1)]
    across = width // size
    rows = [torch.cat(parts[at : at + across], dim=3) for at in range(0, len(parts), across)]
    return torch.cat(rows, dim=2)


wrong(
    "reshaped_without_moving_axes",
    why=(
        "A `reshape` alone writes each patch out along one row of the image; its axes must stand "
        "beside those of the grid before they are joined."
    ),
    change={"grid.permute(0, 3, 1, 4, 2, 5)": "grid"},
)


wrong(
    "grid_on_its_side",
    why=(
        "You took the number of patches in a row for that in a column; both are the same only "
        "where the image is square."
    ),
    change={"number // across, across, channels": "across, number // across, channels"},
)


wrong(
    "patches_column_by_column",
    why="You laid the patches down column by column; they come row by row.",
    change={
        "reshape(count, number // across, across, channels, size, size)": (
            "reshape(count, across, number // across, channels, size, size)"
        ),
        "permute(0, 3, 1, 4, 2, 5)": "permute(0, 3, 2, 4, 1, 5)",
    },
)


wrong(
    "patches_turned",
    why="Rows and columns inside of each patch changed places: every patch is mirrored.",
    change={"permute(0, 3, 1, 4, 2, 5)": "permute(0, 3, 1, 5, 2, 4)"},
)


wrong(
    "channels_read_last",
    why="You read the channels as if they changed fastest; a vector has one after another.",
    change={
        "channels, size, size)": "size, size, channels)",
        "permute(0, 3, 1, 4, 2, 5)": "permute(0, 5, 1, 3, 2, 4)",
    },
)


wrong(
    "pixels_spread_out",
    why=(
        "Neighbors in a patch ended up a whole grid apart: the axis that counts patches must stand "
        "before the one that counts the pixels in it."
    ),
    change={"permute(0, 3, 1, 4, 2, 5)": "permute(0, 3, 4, 1, 5, 2)"},
)
