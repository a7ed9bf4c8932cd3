"""Right and wrong answers to `vit.patches`."""

import torch

from grader.author.answers import right, wrong


@right
def windows_as_a_view(images, size):
    if images.shape[2] % size or images.shape[3] % size:
        raise ValueError("the patches do not tile the image")
    windows = images.unfold(2, size, size).unfold(3, size, size)  # (B, C, rows, columns, P, P)
    return torch.einsum("bcijpq->bijcpq", windows).flatten(3).flatten(1, 2)


@right
def one_by_one(images, size):
    if any(side % size for side in images.shape[2:]):
        raise ValueError("the patches do not tile the image")
    cut = [part.flatten(1) for row in images.split(size, dim=2) for part in row.split(size, dim=3)]
    return torch.stack(cut, dim=1)


wrong(
    "reshaped_without_moving_axes",
    why=(
        "A `reshape` alone takes pixels in the order of memory, so each vector holds pieces of "
        "rows that run through many patches; the axes must be moved before they are joined."
    ),
    change={
        "cut.permute(0, 2, 4, 1, 3, 5)": (
            "cut.reshape(count, height // size, width // size, channels, size, size)"
        )
    },
)


wrong(
    "channels_last",
    why=(
        "In each vector the channels change fastest; the weight of a convolution, flattened, has "
        "one whole patch per channel."
    ),
    change={"permute(0, 2, 4, 1, 3, 5)": "permute(0, 2, 4, 3, 5, 1)"},
)


wrong(
    "patches_column_by_column",
    why="The patches run down the columns of the grid; they are numbered row by row, as one reads.",
    change={"permute(0, 2, 4, 1, 3, 5)": "permute(0, 4, 2, 1, 3, 5)"},
)


wrong(
    "pixels_column_by_column",
    why="In each patch the pixels run down its columns; rows come first, in a patch as in a grid.",
    change={"permute(0, 2, 4, 1, 3, 5)": "permute(0, 2, 4, 1, 5, 3)"},
)


wrong(
    "pixels_far_apart",
    why=(
        "You split the axes the wrong way round: pixels that are H/P apart make one of your "
        "patches, where neighbors should."
    ),
    change={
        "images.reshape(count, channels, height // size, size, width // size, size)": (
            "images.reshape(count, channels, size, height // size, size, width // size)"
        ),
        "permute(0, 2, 4, 1, 3, 5)": "permute(0, 3, 5, 1, 2, 4)",
    },
)


wrong(
    "one_token_per_channel",
    why=(
        "Each channel of a patch became a vector of its own, so there are C times too many; one "
        "patch is one vector, with all its channels."
    ),
    change={".flatten(3).flatten(1, 2)": ".flatten(4).flatten(1, 3)"},
)


wrong(
    "positions_last",
    why=(
        "A patch is a column of yours, as `unfold` gives it; here it is a row, (B, N, C·P·P), as "
        "the tokens of a sentence are."
    ),
    change={".flatten(3).flatten(1, 2)": ".flatten(3).flatten(1, 2).mT"},
)


wrong(
    "edge_cut_off",
    why=(
        "What does not fit is cut off in silence; an image that patches do not tile raises a "
        "ValueError, so that nobody loses an edge without knowing."
    ),
    change={
        'raise ValueError(f"patches of {size} pixels do not tile {height} x {width} pixels")': (
            "height, width = height - height % size, width - width % size\n"
            "        images = images[:, :, :height, :width]"
        )
    },
    corner=True,
)


wrong(
    "only_the_height_checked",
    why="Only the height is checked; the width has to be a multiple of the patch as well.",
    change={"height % size or width % size": "height % size"},
    corner=True,
)
