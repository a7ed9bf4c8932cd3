"""Right and wrong answers to `contrastive.restore_patches`."""

import torch

from grader.author.answers import equivalent, right, wrong


@right
def by_scatter(visible, order, token):
    places = order[:, : visible.shape[1], None].expand_as(visible)
    blank = token.expand(*order.shape, len(token))
    return blank.scatter(1, places, visible)


@right
def image_by_image(visible, order, token):
    images = []
    for patches, places in zip(visible, order.tolist(), strict=True):
        found = [token] * len(places)
        for patch, place in zip(patches, places, strict=False):
            found[place] = patch
        images.append(torch.stack(found))
    return torch.stack(images)


wrong(
    "order_not_inverted",
    why=(
        "The order itself was used to gather. It says which patch comes at each rank; you need "
        "the rank of each patch, its inverse."
    ),
    change={"order.argsort(dim=1)[..., None]": "order[..., None]"},
)


wrong(
    "not_put_back",
    why="The mask tokens follow the visible patches; nothing was put back in its place.",
    change={
        "torch.cat([visible, hidden], dim=1).gather(1, places)": (
            "torch.cat([visible, hidden], dim=1) + 0 * places"
        )
    },
)


wrong(
    "tokens_first",
    why="The mask tokens come first; the order begins with the visible patches.",
    change={"torch.cat([visible, hidden], dim=1)": "torch.cat([hidden, visible], dim=1)"},
)


wrong(
    "zeros_for_the_token",
    why="Hidden places are 0; they hold the mask token, which is learned.",
    change={"token.expand(": "(0 * token).expand("},
)


wrong(
    "in_order_of_the_image",
    why="Visible patches are in the order of their draws, not in that of the image.",
    change={
        "order.argsort(dim=1)[..., None]": (
            "torch.cat([order[:, :kept].sort(dim=1).values, order[:, kept:]], dim=1)"
            ".argsort(dim=1)[..., None]"
        )
    },
)


wrong(
    "same_order_for_all",
    why="The order of the first image was used for all; each image hides other patches.",
    change={
        "order.argsort(dim=1)[..., None]": "order[:1].argsort(dim=1)[..., None]"
        ".expand(count, -1, 1)"
    },
)


equivalent(
    "hidden = token.expand(count, ((order.shape[1]) + (kept)), width)",
    why="tokens too many are never gathered",
)


equivalent(
    "hidden = token.expand(count, (order.shape[1]), width)",
    why="tokens too many are never gathered",
)


equivalent(
    "places = order.argsort()[..., None].expand(-1, -1, width)",
    why="the last axis of the order is axis 1",
)
