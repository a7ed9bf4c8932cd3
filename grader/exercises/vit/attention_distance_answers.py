"""Right and wrong answers to `vit.attention_distance`."""

import torch

from grader.author.answers import equivalent, right, wrong


@right
def with_coordinates(weights, width):
    count = weights.shape[-1] - 1
    number = torch.arange(count, device=weights.device)
    down, right = number // width, number % width
    apart = (down[:, None] - down).square() + (right[:, None] - right).square()
    patches = weights[..., 1:, 1:]
    each = (patches * apart.to(weights.dtype).sqrt()).sum(-1) / patches.sum(-1)
    return each.mean(-1)


@right
def with_einsum(weights, width):
    inner = weights.narrow(-1, 1, weights.shape[-1] - 1).narrow(-2, 1, weights.shape[-2] - 1)
    share = inner / inner.sum(-1, keepdim=True)
    number = range(inner.shape[-1])
    table = torch.tensor(
        [
            [abs(complex(j // width - i // width, j % width - i % width)) for j in number]
            for i in number
        ],
        dtype=weights.dtype,
        device=weights.device,
    )
    return torch.einsum("...ij,ij->...", share, table) / inner.shape[-1]


wrong(
    "not_divided_again",
    why=(
        "What went to the class token is left out and the rest is not divided by its sum: a head "
        "that looks at the token seems near-sighted."
    ),
    change={"    seen = seen / seen.sum(dim=-1, keepdim=True)\n": ""},
)


wrong(
    "token_as_a_patch",
    why=(
        "The class token is taken for a patch in the corner, so every place is wrong by one; it "
        "has no place, and its row and column are left out."
    ),
    change={"seen = weights[..., 1:, 1:]": "seen = weights"},
)


wrong(
    "distance_along_the_list",
    why=(
        "You measured along the list of patches, where the one below is a whole row away; "
        "distances are those in the plane."
    ),
    change={"torch.cdist(places, places)": "(number[:, None] - number).abs()"},
)


wrong(
    "steps_along_rows_and_columns",
    why=(
        "Steps along rows and columns were added; the distance between two centers is that of a "
        "straight line."
    ),
    change={"torch.cdist(places, places)": "torch.cdist(places, places, p=1)"},
)


wrong(
    "squared",
    why="The distances are squared; their root is missing.",
    change={"torch.cdist(places, places)": "torch.cdist(places, places).square()"},
)


wrong(
    "summed_over_queries",
    why="You summed over the queries; the mean over them is asked for.",
    change={".sum(dim=-1).mean(dim=-1)": ".sum(dim=-1).sum(dim=-1)"},
)


wrong(
    "mean_over_keys",
    why=(
        "You took the mean over the keys; their weights sum to 1 already, so that weighting is a "
        "sum."
    ),
    change={".sum(dim=-1).mean(dim=-1)": ".mean(dim=-1).mean(dim=-1)"},
)


wrong(
    "asked_by_keys",
    why=(
        "You divided down the columns, as if each key shared itself out among the queries; each "
        "query shares its attention out among the keys."
    ),
    change={"seen.sum(dim=-1, keepdim=True)": "seen.sum(dim=-2, keepdim=True)"},
)


equivalent(
    "number = torch.arange(seen.shape[-2], device=seen.device)",
    why="there are as many queries as keys",
)


equivalent(
    "return (seen * torch.cdist(places, places)).sum(dim=-2).mean(dim=-1)",
    why="as many queries as keys: the sum over one and the mean over the other are the same",
)
