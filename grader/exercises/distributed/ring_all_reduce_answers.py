"""Right and wrong answers to `distributed.ring_all_reduce`."""

import torch

from grader.author.answers import equivalent, right, wrong


@right
def two_rounds(parts):
    n, shape = len(parts), parts[0].shape
    size = -(-parts[0].numel() // n)
    missing = n * size - parts[0].numel()
    held = [
        list(torch.cat([part.flatten(), part.new_zeros(missing)]).view(n, size)) for part in parts
    ]
    sent = 0
    for s in range(n - 1):
        on_the_way = [(k, (k - s) % n, held[k][(k - s) % n]) for k in range(n)]
        for k, number, chunk in on_the_way:
            held[(k + 1) % n][number] = held[(k + 1) % n][number] + chunk
        sent += size
    for s in range(n - 1):
        on_the_way = [(k, (k + 1 - s) % n, held[k][(k + 1 - s) % n]) for k in range(n)]
        for k, number, chunk in on_the_way:
            held[(k + 1) % n][number] = chunk
        sent += size
    sums = [torch.cat(own)[: parts[0].numel()].view(shape) for own in held]
    return sums, sent


@right
def by_rolling(parts):
    n, numbers = len(parts), parts[0].numel()
    size = -(-numbers // n)
    table = torch.zeros(n, n, size, dtype=parts[0].dtype, device=parts[0].device)
    for k, part in enumerate(parts):
        table[k].view(-1)[:numbers] = part.reshape(-1)
    devices, sent = torch.arange(n, device=table.device), 0
    for step in range(2 * n - 2):
        column = (devices - step) % n
        moving, receiver = table[devices, column].clone(), (devices + 1) % n
        if step < n - 1:
            table[receiver, column] += moving
        else:
            table[receiver, column] = moving
        sent += moving.shape[1]
    return [own.reshape(-1)[:numbers].reshape(parts[0].shape).clone() for own in table], sent


wrong(
    "one_round",
    why="After n − 1 steps each device has the whole sum of one chunk only; send them around, too.",
    change={"range(2 * (devices - 1))": "range(devices - 1)"},
)


wrong(
    "added_in_both_rounds",
    why="In the second round you added to finished sums, so numbers count twice; replace.",
    change={
        "own[moved[k]] + chunk if step < devices - 1 else chunk": "own[moved[k]] + chunk",
    },
)


wrong(
    "two_steps_too_many",
    why="A chunk needs n − 1 steps to reach all others; n steps in each round send too much.",
    change={
        "range(2 * (devices - 1))": "range(2 * devices)",
        "step < devices - 1": "step < devices",
    },
)


wrong(
    "whole_tensors_counted",
    why="You counted a whole tensor for each step; a device sends one chunk, an n-th of it.",
    change={"sent += len(travelling[0])": "sent += parts[0].numel()"},
)


wrong(
    "traffic_of_all",
    why="You counted what all devices send together; the result is the number for one device.",
    change={"sent += len(travelling[0])": "sent += sum(map(len, travelling))"},
)


wrong(
    "mean_for_sum",
    why="You divided by the number of devices; an all-reduce adds.",
    change={
        "[unshard(own, parts[0].shape) for own in chunks]": (
            "[unshard(own, parts[0].shape) / devices for own in chunks]"
        )
    },
)


@wrong(why="The devices sent one after another, so a chunk that has just arrived moves on at once.")
def one_after_another(parts):
    devices, sent = len(parts), 0
    chunks = [[chunk.clone() for chunk in shard(part, devices)] for part in parts]  # noqa: F821
    for step in range(2 * (devices - 1)):
        number = step % devices
        for k in range(devices):
            chunk = chunks[k][number]
            own = chunks[(k + 1) % devices]
            own[number] = own[number] + chunk if step < devices - 1 else chunk.clone()
        sent += len(chunk)
    return [unshard(own, parts[0].shape) for own in chunks], sent  # noqa: F821


wrong(
    "padding_not_counted",
    why="The padding is sent as well: count ⌈N/n⌉ numbers in each step.",
    change={"sent += len(travelling[0])": "sent = (step + 1) * parts[0].numel() // devices"},
    corner=True,
)


equivalent("sent += len(travelling[1])", why="All chunks have one length.")
