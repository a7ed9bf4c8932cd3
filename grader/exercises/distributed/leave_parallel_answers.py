"""Right and wrong answers to `distributed.leave_parallel`."""

import torch

from grader.author.answers import right, wrong


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
    change={
        "all_reduce([part.detach() for part in parts])": "all_reduce(parts)",
        "total + (part - part.detach())": "total",
    },
)


@wrong(why="Forward nothing and backward a sum: that is `enter_parallel`.")
def conjugate_for_it(parts):
    return enter_parallel(parts)  # noqa: F821


wrong(
    "mean_for_sum",
    why="You averaged; each device has one part of a sum, so the parts are added.",
    change={"total + (part": "total / len(parts) + (part"},
)


wrong(
    "no_gradient_at_all",
    why="The sum is detached, so no gradient reaches the devices' parts.",
    change={"total + (part - part.detach())": "total"},
)


wrong(
    "gradient_divided",
    why="The gradient was divided by the number of devices; a sum hands it on as it is.",
    change={"(part - part.detach())": "(part - part.detach()) / len(parts)"},
)


@wrong(why="Only the first device got the sum; all of them continue with it.")
def sum_on_the_first_only(parts):
    rest = sum(part.detach() for part in parts[1:])
    return [parts[0] + rest, *(part.clone() for part in parts[1:])]
