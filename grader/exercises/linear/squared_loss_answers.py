"""Right and wrong answers to `linear.squared_loss`."""

import torch

from grader.author.answers import right, wrong


@right
def summed_per_example(input, target):
    if input.shape != target.shape:
        raise ValueError("shapes differ")
    error = (target - input).reshape(len(target), -1)
    return (error**2).sum(dim=1).mean()


@right
def dot_product_of_the_errors(input, target):
    if input.shape != target.shape:
        raise ValueError("shapes differ")
    error = (input - target).flatten()
    return torch.dot(error, error) / input.shape[0]


wrong(
    "mean_over_outputs",
    why=(
        "`.mean()` also divides by the number of outputs; every gradient is "
        "then C times smaller, and a penalty on the weights counts C times "
        "more."
    ),
    change={".sum() / len(input)": ".mean()"},
)


wrong(
    "sum_over_examples",
    why=(
        "The loss is summed over the examples instead of averaged, so twice "
        "the data would need half the learning rate."
    ),
    change={".sum() / len(input)": ".sum()"},
)


wrong(
    "last_axis_summed",
    why=(
        "Summing over the last axis adds up the outputs of (B, C), but of (B,) "
        "it adds up the examples."
    ),
    change={".sum() / len(input)": ".sum(dim=-1).mean()"},
)


wrong(
    "root_taken",
    why=(
        "A root turns the squared distance into the distance, which has a different minimum: "
        "squares are smallest at the mean, distances at the median."
    ),
    change={".square().sum()": ".square().reshape(len(input), -1).sum(dim=1).sqrt().sum()"},
)


wrong(
    "half",
    why=(
        "A factor ½ makes the gradient tidier and is common in textbooks, but "
        "it is not in the formula here: the loss and its gradient come out "
        "half as large."
    ),
    change={".sum() / len(input)": ".sum() / (2 * len(input))"},
)


wrong(
    "axes_counted",
    why=(
        "The number of axes was compared, and (B, C) against (B, 1) passes: every prediction of an "
        "example then meets the same target. Compare the shapes."
    ),
    change={"input.shape != target.shape": "input.dim() != target.dim()"},
    corner=True,
)


@wrong(
    why=(
        "z² − 2zy + y² subtracts large numbers that almost cancel: where the prediction is nearly "
        "right, what is left is rounding; subtract first, then square."
    ),
    corner=True,
)
def multiplied_out(input, target):
    if input.shape != target.shape:
        raise ValueError("input and target must have the same shape")
    return (input.square() - 2 * input * target + target.square()).sum() / len(input)


@wrong(
    why=(
        "`squeeze` removed the axis of a single example, and its outputs were then averaged as "
        "if they were examples."
    ),
    corner=True,
)
def single_example_squeezed(input, target):
    if input.shape != target.shape:
        raise ValueError("input and target must have the same shape")
    squares = (input - target).square().squeeze()
    return squares.sum(dim=-1).mean() if squares.dim() == 2 else squares.mean()


wrong(
    "numbers_counted",
    why=(
        "You counted the numbers, and a target of (C, B) passes: its numbers belong to other "
        "predictions. Compare the shapes."
    ),
    change={
        "input.shape != target.shape": "input.numel() != target.numel()",
        "(input - target)": "(input - target.reshape(input.shape))",
    },
    corner=True,
)


wrong(
    "target_squeezed",
    why="You squeezed a target of (B, 1) to fit predictions of (B,): different shapes must raise.",
    change={
        "    if input.shape != target.shape": (
            "    if target.shape[1:] == (1,) and input.dim() == 1:\n"
            "        target = target[:, 0]\n"
            "    if input.shape != target.shape"
        )
    },
    corner=True,
)
