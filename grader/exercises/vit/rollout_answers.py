"""Right and wrong answers to `vit.rollout`."""

import functools

import torch

from grader.author.answers import equivalent, right, wrong


@right
def reduced(weights):
    length = weights.shape[-1]
    mixed = 0.5 * weights.mean(-3) + 0.5 * torch.eye(length).to(weights)
    return functools.reduce(lambda before, layer: torch.matmul(layer, before), mixed.unbind(0))


@right
def chained(weights):
    share = weights.sum(dim=-3) / weights.shape[-3]
    identity = torch.diag_embed(torch.ones_like(share[..., 0]))
    layers = list((share + identity) / 2)
    through = identity[0]
    while layers:
        through = torch.einsum("...ij,...jk->...ik", layers.pop(0), through)
    return through


wrong(
    "multiplied_from_the_right",
    why=(
        "The layers are multiplied in the wrong order: a position of the last layer asks those of "
        "the layer before, so that later layers stand on the left."
    ),
    change={"layer @ through": "through @ layer"},
)


wrong(
    "without_residual",
    why=(
        "The identity is missing: through its residual connection each position keeps what it held."
    ),
    change={
        "(weights.mean(dim=-3) + torch.eye(weights.shape[-1]).to(weights)) / 2": (
            "weights.mean(dim=-3)"
        )
    },
)


wrong(
    "identity_added_only",
    why="A + I is not divided by 2, so rows sum to 2, and to 2ᴸ after L layers.",
    change={".to(weights)) / 2": ".to(weights))"},
)


wrong(
    "sum_over_heads",
    why="The heads are summed; averaged, rows sum to 1.",
    change={".mean(dim=-3)": ".sum(dim=-3)"},
)


wrong(
    "strongest_head",
    why=(
        "You took the largest weight of any head; heads are averaged here, so that rows sum to 1."
    ),
    change={"weights.mean(dim=-3)": "weights.amax(dim=-3)"},
)


wrong(
    "last_layer_alone",
    why="This is the last layer alone; what it mixes was mixed by the layers before.",
    change={"through = layer @ through": "through = layer"},
)


wrong(
    "layers_averaged",
    why="The layers are averaged; one works on what the other made, so they are multiplied.",
    change={
        "    through = mixed[0]\n": "    through = mixed.mean(dim=0)\n",
        "through = layer @ through": "break",
    },
)


wrong(
    "one_layer_left_out",
    why="The first layer is left out; the product starts with it.",
    change={"through = mixed[0]": "through = torch.eye(weights.shape[-1]).to(weights)"},
)


wrong(
    "transposed",
    why=(
        "The result is transposed: row i is to say what position i is made of, and not where "
        "position i went."
    ),
    change={"return through": "return through.mT"},
)


equivalent(
    "mixed = (weights.mean(dim=-3) + torch.eye(weights.shape[-2]).to(weights)) / 2",
    why="there are as many queries as keys",
)
