"""Right and wrong answers to `vit.PatchEmbedding`."""

from torch import nn

from grader.author.answers import right, wrong
from solutions.vit import patches


@right
class AsAProduct(nn.Module):
    def __init__(self, size, channels, embed_dim, *, device=None):
        super().__init__()
        self.size = size
        self.projection = nn.Conv2d(channels, embed_dim, size, size, device=device)

    def forward(self, images):
        weight = self.projection.weight.flatten(1)
        return patches(images, self.size) @ weight.T + self.projection.bias


@right
class WindowsContracted(nn.Module):
    def __init__(self, size, channels, embed_dim, *, device=None):
        super().__init__()
        self.projection = nn.Conv2d(channels, embed_dim, kernel_size=size, device=device)

    def forward(self, images):
        weight, bias = self.projection.weight, self.projection.bias
        size = weight.shape[-1]
        windows = images.unfold(2, size, size).unfold(3, size, size)
        found = (windows.flatten(4).permute(0, 2, 3, 1, 4).flatten(3)) @ weight.flatten(1).mT
        return (found + bias).flatten(1, 2)


wrong(
    "stride_of_one",
    why=(
        "The kernel moves by one pixel, so patches overlap and there are far too many; the stride "
        "is the size of the patch."
    ),
    change={", stride=size": ""},
)


wrong(
    "features_before_positions",
    why=(
        "The result is (B, D, N), as a convolution gives it; a sequence of tokens is (B, N, D), "
        "features last."
    ),
    change={".flatten(2).transpose(1, 2)": ".flatten(2)"},
)


wrong(
    "reshaped_for_transposed",
    why=(
        "A `reshape` to (B, N, D) mixes features of many patches into one token; the axes must be "
        "exchanged, not read in another order."
    ),
    change={
        ".flatten(2).transpose(1, 2)": (
            ".flatten(2).reshape(len(images), -1, self.projection.out_channels)"
        )
    },
)


wrong(
    "patches_column_by_column",
    why="The grid is flattened column by column; patches are numbered row by row.",
    change={".flatten(2).transpose(1, 2)": ".mT.flatten(2).transpose(1, 2)"},
)


wrong(
    "without_bias",
    why="The convolution has no bias; the embedding of a patch has one, `projection.bias`.",
    change={
        "self.projection(images)": "(self.projection(images) - self.projection.bias[:, None, None])"
    },
)


wrong(
    "activated",
    why="There is a ReLU; a patch embedding is linear, and half of its features would be lost.",
    change={"self.projection(images)": "self.projection(images).relu()"},
)
