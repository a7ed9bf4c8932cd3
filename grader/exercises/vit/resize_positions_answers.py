"""Right and wrong answers to `vit.resize_positions`."""

import torch
import torch.nn.functional as F

from grader.author.answers import equivalent, right, wrong


@right
def features_as_a_batch(positions, grid, new):
    if tuple(grid) == tuple(new):
        return positions.clone()
    pictures = positions[1:].T.reshape(-1, 1, *grid)  # each feature an image of its own
    resized = F.interpolate(pictures, size=tuple(new), mode="bicubic")
    return torch.vstack([positions[:1], resized.reshape(len(pictures), -1).T])


@right
def permuted(positions, grid, new):
    token, rest = torch.split(positions, [1, len(positions) - 1])
    if list(grid) != list(new):
        rest = rest.reshape(1, grid[0], grid[1], -1).permute(0, 3, 1, 2)
        rest = torch.nn.Upsample(size=tuple(new), mode="bicubic", align_corners=False)(rest)
        rest = rest.permute(0, 2, 3, 1).reshape(new[0] * new[1], -1)
    return torch.cat([token, rest], 0)


wrong(
    "corners_aligned",
    why=(
        "With `align_corners=True` the centers of the outer patches stay where they were; patches "
        "tile the image, so it is their edges that do."
    ),
    change={"align_corners=False": "align_corners=True"},
)


wrong(
    "bilinear",
    why="The interpolation is bilinear; it is bicubic here, as where such models are fine-tuned.",
    change={'mode="bicubic"': 'mode="bilinear"'},
)


wrong(
    "features_not_moved",
    why=(
        "A `reshape` to (D, h, w) without exchanging the axes first mixes features and places; "
        "each feature has to be a picture of its own."
    ),
    change={"rest.T.reshape(1, -1, *grid)": "rest.reshape(1, -1, *grid)"},
)


wrong(
    "grid_on_its_side",
    why="Height and width of the grid changed places, which shows as soon as it is not square.",
    change={
        "rest.T.reshape(1, -1, *grid)": "rest.T.reshape(1, -1, *grid[::-1])",
        "F.interpolate(picture, new,": "F.interpolate(picture, new[::-1],",
    },
)


wrong(
    "token_lost",
    why="The class token's position is gone; it has no place on the grid, and is kept as it is.",
    change={
        "torch.cat([token, picture.flatten(2)[0].T])": (
            "torch.cat([token, picture.flatten(2)[0].T])[1:]"
        )
    },
)


wrong(
    "token_last",
    why="The class token's position came to stand last; it is the first, as in the sequence.",
    change={
        "torch.cat([token, picture.flatten(2)[0].T])": (
            "torch.cat([picture.flatten(2)[0].T, token])"
        )
    },
)


wrong(
    "token_scaled_along",
    why=(
        "The class token was replaced by the mean of the new positions; it is not a place in the "
        "image, and what it learned is kept."
    ),
    change={
        "torch.cat([token, picture.flatten(2)[0].T])": (
            "torch.cat([picture.flatten(2)[0].T.mean(0, keepdim=True), picture.flatten(2)[0].T])"
        )
    },
)


wrong(
    "resized_along_the_list",
    why=(
        "The positions were resized as one long list, so the end of a row blends into the "
        "beginning of the next; neighbors stand in two directions."
    ),
    change={
        "picture = F.interpolate(picture, new, mode": (
            "picture = F.interpolate(picture.flatten(2)[:, :, None], (1, new[0] * new[1]), mode"
        )
    },
)


wrong(
    "by_the_number_of_patches",
    why=(
        "You leave the positions alone when the number of patches is the same; a grid of 2 × 6 is "
        "not one of 3 × 4."
    ),
    change={"if grid != new:": "if grid[0] * grid[1] != new[0] * new[1]:"},
)


equivalent(
    "picture = F.interpolate(picture, new, mode='bicubic')",
    why="corners are not aligned unless one asks for it",
)
