"""Right and wrong answers to `distributed.reduce_scatter`."""

import torch

from grader.author.answers import equivalent, right, wrong


@right
def stacked(parts):
    devices = len(parts)
    if len(parts[0]) % devices:
        raise ValueError("unequal parts")
    return list(torch.stack(tuple(parts)).unflatten(1, (devices, -1)).sum(dim=0).unbind())


@right
def device_by_device(parts):
    devices, rows = len(parts), parts[0].shape[0]
    size, rest = divmod(rows, devices)
    if rest != 0:
        raise ValueError(f"{devices} devices do not divide {rows} rows")
    results = []
    for k in range(devices):
        mine = torch.zeros_like(parts[0][:size])
        for part in parts:
            mine = mine + part[k * size : (k + 1) * size]
        results.append(mine)
    return results


wrong(
    "mean_for_sum",
    why="You divided by the number of devices; a reduce-scatter adds, and the caller averages.",
    change={"sum(parts[1:], parts[0]).chunk": "(sum(parts[1:], parts[0]) / devices).chunk"},
)


wrong(
    "whole_sum_for_all",
    why="Every device got the whole sum. This is an all-reduce; here each gets only its own part.",
    change={
        "list(sum(parts[1:], parts[0]).chunk(devices))": (
            "[sum(parts[1:], parts[0]) for _ in parts]"
        )
    },
)


wrong(
    "nothing_added",
    why="Device k got part k of its own tensor; nothing of the other devices was added.",
    change={
        "list(sum(parts[1:], parts[0]).chunk(devices))": (
            "[part.chunk(devices)[k] for k, part in enumerate(parts)]"
        )
    },
)


wrong(
    "own_parts_added",
    why="You added the parts of one device's tensor; add the same part of all devices' tensors.",
    change={
        "list(sum(parts[1:], parts[0]).chunk(devices))": (
            "[sum(part.chunk(devices)) for part in parts]"
        )
    },
)


wrong(
    "every_nth_row",
    why="Device k got every n-th row; its part consists of neighboring rows.",
    change={
        "list(sum(parts[1:], parts[0]).chunk(devices))": (
            "[sum(parts[1:], parts[0])[k::devices] for k in range(devices)]"
        )
    },
)


wrong(
    "parts_of_the_first",
    why="The first device's tensor was scattered, as by a broadcast; scatter the sum of all.",
    change={"sum(parts[1:], parts[0]).chunk": "parts[0].chunk"},
)


wrong(
    "unequal_parts",
    why="Rows that cannot be shared equally were accepted, so a device gets less; raise an error.",
    change={
        'raise ValueError(f"{rows} rows cannot be cut into {devices} equal parts")': "pass",
    },
    corner=True,
)


equivalent("return (sum(parts[1:], parts[0]).chunk(devices))", why="A tuple of the same tensors.")
