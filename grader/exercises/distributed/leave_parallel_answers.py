"""Right and wrong answers to `distributed.leave_parallel`."""

import torch

from grader.author.answers import equivalent, right, wrong


@right
def with_detached_rests(parts):
    total = torch.stack([part.detach() for part in parts]).sum(dim=0)
    return [part + (total - part.detach()) for part in parts]


class Sum(torch.autograd.Function):
    @staticmethod
    def forward(ctx, *parts):
        total = parts[0]
        for part in parts[1:]:
            total = total + part
        return tuple(total.clone() for _ in parts)

    @staticmethod
    def backward(ctx, *grads):
        return grads


@right
def with_a_function(parts):
    return [*Sum.apply(*parts)]


wrong(
    "gradient_of_autograd",
    why=(
        "Autograd's gradient of the sums adds those of all devices. Each device computes the same "
        "loss, so the gradient gets n times too large; keep each device's own."
    ),
    change={"list(_Leave.apply(*parts))": "all_reduce(parts)"},
)


wrong(
    "conjugate_for_it",
    why="Forward nothing and backward a sum: that is `enter_parallel`.",
    change={"_Leave.apply": "_Enter.apply"},
)


wrong(
    "mean_for_sum",
    why="You averaged; each device has one part of a sum, so the parts are added.",
    change={
        "list(_Leave.apply(*parts))": "[total / len(parts) for total in _Leave.apply(*parts)]",
    },
)


wrong(
    "no_gradient_at_all",
    why="The sum is detached, so no gradient reaches the devices' parts.",
    change={"list(_Leave.apply(*parts))": "[total.detach() for total in all_reduce(parts)]"},
)


wrong(
    "gradient_divided",
    why="The gradient was divided by the number of devices; a sum hands it on as it is.",
    change={
        "list(_Leave.apply(*parts))": (
            "[part / len(parts) + (total - part / len(parts)).detach() "
            "for part, total in zip(parts, all_reduce(parts))]"
        )
    },
)


wrong(
    "sum_on_the_first_only",
    why="Only the first device got the sum; all of them continue with it.",
    change={
        "list(_Leave.apply(*parts))": (
            "[_Leave.apply(*parts)[0], *(part.clone() for part in parts[1:])]"
        ),
    },
)


equivalent("return (_Leave.apply(*parts))", why="A tuple of the same tensors.")
