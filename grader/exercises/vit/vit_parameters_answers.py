"""Right and wrong answers to `vit.vit_parameters`."""

import torch
from torch import nn

from grader.author.answers import right, wrong


@right
def built_and_counted(embed_dim, num_layers, hidden, *, patches, pixels, classes):
    with torch.device("meta"):
        layer = nn.TransformerEncoderLayer(embed_dim, 1, hidden)
        ends = [
            nn.Linear(pixels, embed_dim),
            nn.LayerNorm(embed_dim),
            nn.Linear(embed_dim, classes),
        ]
    counted = [sum(p.numel() for p in part.parameters()) for part in (layer, *ends)]
    return num_layers * counted[0] + sum(counted[1:]) + (patches + 2) * embed_dim


@right
def as_a_list(embed_dim, num_layers, hidden, *, patches, pixels, classes):
    def linear(inputs, outputs):
        return (inputs + 1) * outputs

    norm = 2 * embed_dim
    total = linear(pixels, embed_dim) + embed_dim * (1 + patches + 1)
    for _ in range(num_layers):
        total += norm + 3 * linear(embed_dim, embed_dim) + linear(embed_dim, embed_dim)
        total += norm + linear(embed_dim, hidden) + linear(hidden, embed_dim)
    return total + norm + linear(embed_dim, classes)


wrong(
    "no_position_for_the_token",
    why=(
        "D too few. The class token has a position too, so there are N + 1; or, which is as many, "
        "you left out the token itself, or a bias of D numbers."
    ),
    change={"(patches + 1) * d": "patches * d"},
)


wrong(
    "biases_forgotten",
    why="The products inside of the layers have biases; they are counted too.",
    change={
        "4 * (d * d + d) + (d * hidden + hidden) + (hidden * d + d)": (
            "4 * d * d + d * hidden + hidden * d"
        )
    },
)


wrong(
    "output_projection_forgotten",
    why=(
        "An attention has four matrices: queries, keys, values, and the one that mixes what the "
        "heads found."
    ),
    change={"4 * (d * d + d)": "3 * (d * d + d)"},
)


wrong(
    "one_norm_per_layer",
    why=(
        "2·D too few for each layer. It has two norms, one before the attention and one before "
        "the feed-forward part; or, which is as many, you left out the shifts of both."
    ),
    change={"2 * 2 * d": "2 * d"},
)


wrong(
    "norms_without_shift",
    why="A layer norm has a gain and a shift for each feature, so 2·D numbers.",
    change={"2 * 2 * d": "2 * d", "+ 2 * d + (d * classes": "+ d + (d * classes"},
)


wrong(
    "last_norm_forgotten",
    why=(
        "2·D too few. After the last layer there is one more norm; or, which is as many, you left "
        "out both the class token and its position."
    ),
    change={"+ 2 * d + (d * classes": "+ (d * classes"},
)


wrong(
    "hidden_is_four_times",
    why="You took 4·D hidden units; that is usual, but their number is given.",
    change={"    d = embed_dim": "    d = embed_dim\n    hidden = 4 * d"},
)
