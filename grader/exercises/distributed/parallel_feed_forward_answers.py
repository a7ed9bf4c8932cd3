"""Right and wrong answers to `distributed.parallel_feed_forward`."""

import torch

from grader.author.answers import right, wrong


@right
def loops_and_products(inputs, up, up_bias, down, down_bias):
    entered = enter_parallel(inputs)  # noqa: F821
    partial = []
    for k in range(len(inputs)):
        hidden = torch.clamp(entered[k] @ up[k].T + up_bias[k], min=0)
        partial.append(hidden @ down[k].T)
    results = leave_parallel(partial)  # noqa: F821
    return [results[k] + down_bias[k] for k in range(len(inputs))]


@right
def without_the_two(inputs, up, up_bias, down, down_bias):
    devices = len(inputs)
    # One device's gradient of its input, times n where all devices' gradients are alike, is no
    # answer; so the sum of the copies stands for the input, and each copy gets all gradients.
    shared = sum(inputs)
    partial = []
    for k in range(devices):
        x = inputs[k].detach() + (shared - shared.detach())
        hidden = (torch.einsum("...d,hd->...h", x, up[k]) + up_bias[k]).relu()
        partial.append(torch.einsum("...h,dh->...d", hidden, down[k]))
    total = sum(part.detach() for part in partial)
    return [part + (total - part.detach()) + bias for part, bias in zip(partial, down_bias)]


wrong(
    "bias_in_every_part",
    why="The second bias was added before the sum, on each device, so it counts n times.",
    change={
        "F.linear(F.linear(x, first, bias).relu(), second)": (
            "F.linear(F.linear(x, first, bias).relu(), second, down_bias[0])"
        ),
        "total + bias": "total",
    },
)


wrong(
    "inputs_not_entered",
    why=(
        "Without `enter_parallel`, each device's gradient of the input counts its own units only; "
        "add those of all."
    ),
    change={"enter_parallel(inputs)": "inputs"},
)


wrong(
    "nothing_added",
    why="Each device returned the part of its own units; add the parts of all devices.",
    change={"leave_parallel(partial)": "partial"},
)


wrong(
    "gradient_n_times",
    why=(
        "A plain sum adds the gradients of all devices' equal losses, so weights get n times "
        "their gradient; `leave_parallel` keeps each device's own."
    ),
    change={"leave_parallel(partial)": "all_reduce(partial)"},
)


wrong(
    "two_sums_too_many",
    why=(
        "The hidden units were added over the devices, but each device has different units; the "
        "sum belongs after the second layer."
    ),
    change={
        "F.linear(F.linear(x, first, bias).relu(), second)": "F.linear(x, first, bias)",
        "leave_parallel(partial)": (
            "leave_parallel([F.linear(h.relu(), w) for h, w in zip(leave_parallel(partial), down)])"
        ),
    },
)


wrong(
    "relu_after_the_second",
    why="The ReLU belongs between the two layers, where each device has its units whole.",
    change={
        "F.linear(F.linear(x, first, bias).relu(), second)": (
            "F.linear(F.linear(x, first, bias), second).relu()"
        )
    },
)


wrong(
    "no_relu",
    why="Between the two layers is a ReLU; without it, both together are one linear layer.",
    change={".relu()": ""},
)


wrong(
    "first_bias_forgotten",
    why="The first layer has a bias, too: each device adds the entries of its units.",
    change={"F.linear(x, first, bias)": "F.linear(x, first)"},
)
