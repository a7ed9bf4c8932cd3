"""Right and wrong answers to `distributed.memory_per_device`."""

import math

from grader.author.answers import right, wrong


@right
def stage_by_stage(
    parameters, devices, *, stage, parameter_bytes=2, gradient_bytes=2, optimizer_bytes=12
):
    if stage not in {0, 1, 2, 3}:
        raise ValueError(stage)
    weights, gradients, optimizer = parameters, parameters, parameters
    small = math.ceil(parameters / devices)
    if stage >= 1:
        optimizer = small
    if stage >= 2:
        gradients = small
    if stage >= 3:
        weights = small
    return weights * parameter_bytes + gradients * gradient_bytes + optimizer * optimizer_bytes


@right
def with_a_table(
    parameters, devices, *, stage, parameter_bytes=2, gradient_bytes=2, optimizer_bytes=12
):
    whole = {0: (1, 1, 1), 1: (1, 1, 0), 2: (1, 0, 0), 3: (0, 0, 0)}.get(stage)
    if whole is None:
        raise ValueError(f"unknown stage {stage}")
    part, total = (parameters + devices - 1) // devices, 0
    for all_of_it, size in zip(whole, (parameter_bytes, gradient_bytes, optimizer_bytes)):
        total += size * (parameters if all_of_it else part)
    return total


wrong(
    "parameters_first",
    why="You sharded the parameters first. Stage 1 is the optimizer, which is the largest part.",
    change={"(3, 2, 1)": "(1, 2, 3)"},
)


wrong(
    "a_stage_late",
    why="Sharding began one stage late: stage 1 already shards the optimizer.",
    change={"stage >= least": "stage > least"},
)


wrong(
    "only_one_part",
    why="The stages add up: stage 2 shards the gradients as well as the optimizer.",
    change={"stage >= least": "stage == least"},
)


wrong(
    "all_at_once",
    why="From stage 1 on, everything was sharded; that is stage 3.",
    change={"for least in (3, 2, 1)": "for least in (1, 1, 1)"},
)


wrong(
    "optimizer_forgotten",
    why="The optimizer's state is missing, which is most of the memory.",
    change={
        "sizes = parameter_bytes, gradient_bytes, optimizer_bytes": (
            "sizes = parameter_bytes, gradient_bytes, 0"
        )
    },
)


wrong(
    "bytes_fixed",
    why="The bytes per number are arguments; you always took 2, 2 and 12.",
    change={
        "sizes = parameter_bytes, gradient_bytes, optimizer_bytes": "sizes = 2, 2, 12",
    },
)


wrong(
    "all_devices_together",
    why="You added up the memory of all devices; the result is that of one.",
    change={
        "sum(count * size for count, size in zip(held, sizes, strict=True))": (
            "devices * sum(count * size for count, size in zip(held, sizes, strict=True))"
        )
    },
)


wrong(
    "rounded_down",
    why="A shard has ⌈N/n⌉ numbers, with padding; N // n is too few where n does not divide N.",
    change={"-(-parameters // devices)": "parameters // devices"},
    corner=True,
)


wrong(
    "any_stage",
    why="A stage that does not exist was accepted; raise a ValueError.",
    change={
        'raise ValueError(f"stage must be 0, 1, 2 or 3, got {stage}")': "pass",
    },
    corner=True,
)
