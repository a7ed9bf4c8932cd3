"""Right and wrong answers to `distributed.shard`."""

import torch

from grader.author.answers import right, wrong


@right
def with_new_zeros(tensor, devices):
    flat = tensor.reshape(-1)
    size = -(-flat.numel() // devices)
    missing = flat.new_zeros(devices * size - flat.numel())
    return list(torch.cat([flat, missing]).reshape(devices, size).unbind())


@right
def device_by_device(tensor, devices):
    flat = tensor.reshape(-1)
    size = (len(flat) + devices - 1) // devices
    parts = []
    for k in range(devices):
        own = flat[k * size : (k + 1) * size]
        parts.append(torch.cat((own, torch.zeros(size - len(own)).to(flat))))
    return parts


wrong(
    "no_padding",
    why="The last shard is shorter, or missing. A collective operation needs equal lengths.",
    change={"list(padded.view(devices, size))": "list(tensor.flatten().tensor_split(devices))"},
)


wrong(
    "rest_lost",
    why="You rounded N/n down, so the last numbers are in no shard.",
    change={
        "math.ceil(tensor.numel() / devices)": "tensor.numel() // devices",
        "F.pad(tensor.flatten(), (0, size * devices - tensor.numel()))": (
            "tensor.flatten()[: size * devices]"
        ),
    },
)


wrong(
    "zeros_in_front",
    why="The zeros stand before the numbers; append them, so that they can be cut off again.",
    change={
        "(0, size * devices - tensor.numel())": "(size * devices - tensor.numel(), 0)",
    },
)


wrong(
    "dealt_like_cards",
    why="Device k got every n-th number; a shard consists of neighbors.",
    change={"list(padded.view(devices, size))": "list(padded.view(size, devices).T)"},
)


wrong(
    "column_by_column",
    why="The numbers were read down the columns; read them row by row, as `flatten` does.",
    change={
        "F.pad(tensor.flatten(),": "F.pad(tensor.permute(*reversed(range(tensor.dim()))).flatten(),"
    },
)


wrong(
    "one_zero_row_too_many",
    why="N // n + 1 is one too many where n divides N.",
    change={"math.ceil(tensor.numel() / devices)": "tensor.numel() // devices + 1"},
)


@wrong(why="The tensor was cut along its first axis only, so its shards are not flat.")
def first_axis_alone(tensor, devices):
    rows = torch.atleast_1d(tensor)
    size = -(-len(rows) // devices)
    missing = rows.new_zeros(devices * size - len(rows), *rows.shape[1:])
    return list(torch.cat([rows, missing]).reshape(devices, size, *rows.shape[1:]).unbind())
