"""Right and wrong answers to `model_compression.magnitude_masks`."""

import torch

from grader.author.answers import right, wrong


@right
def by_ranks(weights, sparsity):
    sizes = torch.cat([weight.detach().abs().reshape(-1) for weight in weights])
    order = torch.sort(sizes, stable=True).indices
    rank = torch.empty_like(order)
    rank[order] = torch.arange(len(order), device=order.device)
    stays = rank >= round(sparsity * len(sizes))
    masks, begin = [], 0
    for weight in weights:
        masks.append(stays[begin : begin + weight.numel()].view(weight.shape))
        begin += weight.numel()
    return masks


@right
def with_a_sorted_list(weights, sparsity):
    entries = [
        (abs(value), layer, place)
        for layer, weight in enumerate(weights)
        for place, value in enumerate(weight.flatten().tolist())
    ]
    masks = [torch.ones(w.shape, dtype=torch.bool, device=w.device) for w in weights]
    for _, layer, place in sorted(entries)[: round(sparsity * len(entries))]:
        masks[layer].view(-1)[place] = False
    return masks


@wrong(
    why="You ranked each layer by itself, so each loses the same share; rank all of them together."
)
def each_layer_by_itself(weights, sparsity):
    masks = []
    for weight in weights:
        sizes = weight.detach().abs().flatten()
        kept = torch.ones_like(sizes, dtype=torch.bool)
        kept[sizes.argsort(stable=True)[: round(sparsity * len(sizes))]] = False
        masks.append(kept.reshape(weight.shape))
    return masks


wrong(
    "sign_forgotten",
    why=(
        "You ranked the weights with their signs, so large negative ones go first; rank magnitudes."
    ),
    change={"weight.abs().flatten()": "weight.flatten()"},
)


wrong(
    "largest_removed",
    why="You removed the largest weights; remove the smallest.",
    change={"argsort(stable=True)": "argsort(stable=True, descending=True)"},
)


wrong(
    "share_that_stays",
    why="The sparsity is the share that goes, and not the share that stays.",
    change={"round(sparsity * len(sizes))": "round((1 - sparsity) * len(sizes))"},
)


wrong(
    "mask_upside_down",
    why="True stays: multiplying by the mask has to keep the large weights.",
    change={
        "torch.ones_like(sizes, dtype=torch.bool)": "torch.zeros_like(sizes, dtype=torch.bool)",
        "= False": "= True",
    },
)


wrong(
    "cut_off",
    why="The number of weights to remove was truncated; round it.",
    change={"round(sparsity * len(sizes))": "int(sparsity * len(sizes))"},
    corner=True,
)


@wrong(
    why="A threshold removes all weights of equal magnitude or none, so their number is wrong.",
    corner=True,
)
def by_a_threshold(weights, sparsity):
    sizes = torch.cat([weight.detach().abs().flatten() for weight in weights])
    count = round(sparsity * len(sizes))
    limit = sizes.sort().values[count - 1] if count else -1
    return [weight.detach().abs() > limit for weight in weights]
