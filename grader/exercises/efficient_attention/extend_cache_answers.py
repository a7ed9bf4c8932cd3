"""Right and wrong answers to `efficient_attention.extend_cache`."""

import torch

from grader.author.answers import right, wrong


@right
def part_by_part(cache, key, value, *, window=None):
    old = (None, None) if cache is None else cache
    seen, kept = [], []
    for before, new in zip(old, (key, value), strict=True):
        whole = new if before is None else torch.concatenate((before, new), dim=-2)
        number = whole.shape[-2] if window is None else min(window - 1, whole.shape[-2])
        seen.append(whole)
        kept.append(whole.detach().narrow(-2, whole.shape[-2] - number, number))
    return tuple(seen), tuple(kept)


@right
def into_room_that_is_made(cache, key, value, *, window=None):
    past = 0 if cache is None else cache[0].shape[-2]
    length = past + key.shape[-2]
    keys = key.new_zeros(*key.shape[:-2], length, key.shape[-1])
    values = value.new_zeros(*value.shape[:-2], length, value.shape[-1])
    if cache is not None:
        keys[..., :past, :], values[..., :past, :] = cache
    keys[..., past:, :], values[..., past:, :] = key, value
    start = 0 if window is None else max(length - window + 1, 0)
    with torch.no_grad():
        kept = keys[..., start:, :].clone(), values[..., start:, :].clone()
    return (keys, values), kept


wrong(
    "new_before_old",
    why="You put the new positions before the old ones; keep the order of the text.",
    change={
        "torch.cat([cache[0], key], dim=-2), torch.cat([cache[1], value], dim=-2)": (
            "torch.cat([key, cache[0]], dim=-2), torch.cat([value, cache[1]], dim=-2)"
        )
    },
)


wrong(
    "old_forgotten",
    why="You dropped the old positions, so every token sees only itself.",
    change={"if cache is not None:": "if False:"},
)


wrong(
    "not_cut_from_the_graph",
    why=(
        "The kept tensors are still in the graph: each call keeps the graphs of all calls before "
        "it, and memory grows until none is left."
    ),
    change={
        "(key[..., first:, :].detach(), value[..., first:, :].detach())": (
            "(key[..., first:, :], value[..., first:, :])"
        )
    },
)


wrong(
    "all_cut_from_the_graph",
    why=(
        "You detached the new keys before they were used, so they cannot be trained. Detach only "
        "what is kept for later calls."
    ),
    change={"return (key, value), (": "return (key.detach(), value.detach()), ("},
)


wrong(
    "one_too_many_kept",
    why=(
        "You kept `window` positions. The next query counts in its window, so it needs only window "
        "− 1 positions before it."
    ),
    change={"- (window - 1))": "- window)"},
)


wrong(
    "cut_before_they_are_seen",
    why=(
        "You cut to the window before the new queries attended. The first of several new queries "
        "reaches farther back than the last."
    ),
    change={"return (key, value), (": "return (key[..., first:, :], value[..., first:, :]), ("},
)


wrong(
    "the_oldest_kept",
    why=(
        "When the window is full, drop the oldest positions and keep the newest; you did it the "
        "other way around."
    ),
    change={
        "(key[..., first:, :].detach(), value[..., first:, :].detach())": (
            "(key[..., : key.shape[-2] - first, :].detach(), "
            "value[..., : value.shape[-2] - first, :].detach())"
        )
    },
)


wrong(
    "start_below_zero",
    why=(
        "With fewer than window − 1 positions, your start is negative, and a slice counts it from "
        "the end: some positions that must be kept are lost. Clamp it at 0."
    ),
    change={"max(0, key.shape[-2] - (window - 1))": "key.shape[-2] - (window - 1)"},
    corner=True,
)


wrong(
    "along_the_heads",
    why=(
        "You concatenated along the axis before the positions: the cache has more heads or "
        "sequences, not more positions. Positions are the second axis from the right."
    ),
    change={
        "torch.cat([cache[0], key], dim=-2), torch.cat([cache[1], value], dim=-2)": (
            "torch.cat([cache[0][..., : key.shape[-2], :], key[..., : cache[0].shape[-2], "
            ":]], dim=0), "
            "torch.cat([cache[1][..., : key.shape[-2], :], value[..., : cache[0].shape[-2], "
            ":]], dim=0)"
        )
    },
)
