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
    why="The new positions were put in front of the old; their order is the order of the text.",
    change={
        "torch.cat([cache[0], key], dim=-2), torch.cat([cache[1], value], dim=-2)": (
            "torch.cat([key, cache[0]], dim=-2), torch.cat([value, cache[1]], dim=-2)"
        )
    },
)


wrong(
    "old_forgotten",
    why="What was kept is thrown away, so that every token sees nothing but itself.",
    change={"if cache is not None:": "if False:"},
)


wrong(
    "not_cut_from_the_graph",
    why=(
        "What is kept still hangs in the graph: the next call would drag the graphs of all calls "
        "before it along, and memory grows until there is none left."
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
        "The new keys were cut from the graph before they were used, so that nothing can "
        "be learned "
        "from them. Only what is kept for later is cut."
    ),
    change={"return (key, value), (": "return (key.detach(), value.detach()), ("},
)


wrong(
    "one_too_many_kept",
    why=(
        "You kept `window` positions. The next query counts in its own window, so that it needs "
        "window − 1 of those before it."
    ),
    change={"- (window - 1))": "- window)"},
)


wrong(
    "cut_before_they_are_seen",
    why=(
        "The window was cut before the new queries had looked. The first of several new ones looks "
        "farther back than the last."
    ),
    change={"return (key, value), (": "return (key[..., first:, :], value[..., first:, :]), ("},
)


wrong(
    "the_oldest_kept",
    why=(
        "When the window is full, the oldest positions go and the newest stay; you did "
        "it the other way around."
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
        "While fewer than window − 1 positions are there, your start lies below 0, and a slice "
        "counts such a start from the end: some of what is to be kept is lost. Stop it at 0."
    ),
    change={"max(0, key.shape[-2] - (window - 1))": "key.shape[-2] - (window - 1)"},
    corner=True,
)


wrong(
    "along_the_heads",
    why=(
        "The cache grew along the axis before the positions: it has more heads or sequences now, "
        "and not more positions. From the right, positions are the second axis."
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
