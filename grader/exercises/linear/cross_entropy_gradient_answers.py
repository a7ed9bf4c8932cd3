"""Right and wrong answers to `linear.cross_entropy_gradient`."""

import torch

from grader.author.answers import right, wrong
from solutions.linear import log_sum_exp


@right
def one_taken_off_at_the_label(input, target):
    if input.ndim != 2 or target.shape != input.shape[:1]:
        raise ValueError("one label for each row")
    p = torch.exp(input - input.max(dim=1, keepdim=True).values)
    p = p / p.sum(dim=1, keepdim=True)
    p[torch.arange(len(target)), target] -= 1
    return p.div(len(target))


@right
def one_hot_by_scatter(input, target):
    if input.ndim != 2 or target.shape != input.shape[:1]:
        raise ValueError("one label for each row")
    y = torch.zeros_like(input).scatter(1, target.unsqueeze(1), 1.0)
    p = 1 / torch.exp(input[:, None, :] - input[:, :, None]).sum(dim=2)
    return (p - y) / input.shape[0]


wrong(
    "not_divided_by_examples",
    why=(
        "p − y is the gradient of one example's loss; the loss is a mean over "
        "B examples, so each gets 1/B of it."
    ),
    change={" / len(input)": ""},
)


wrong(
    "truth_minus_prediction",
    why=(
        "The sign is reversed: the score of the right class has to have a "
        "negative gradient, so that a step downhill raises it."
    ),
    change={"softmax(input) - one_hot": "one_hot - softmax(input)"},
)


wrong(
    "softmax_forgotten",
    why=(
        "z − y is the gradient of the squared loss (up to a factor of 2); here the one-hot "
        "target is subtracted from probabilities."
    ),
    change={"softmax(input) - one_hot": "input - one_hot"},
)


wrong(
    "softmax_over_examples",
    why=(
        "The softmax ran down the columns, so that the examples compete with "
        "each other; the classes of one example must sum to 1."
    ),
    change={"softmax(input)": "softmax(input, 0)"},
)


wrong(
    "divided_by_all_entries",
    why="Divided by B·C; the mean is over the B examples alone.",
    change={"len(input)": "input.numel()"},
)


@wrong(
    why=(
        "`p = input` makes no copy, so subtracting 1 in place changes the "
        "caller's scores; the result is right only once."
    )
)
def scores_overwritten(input, target):
    p = input
    p -= log_sum_exp(input)[:, None]
    p.exp_()
    p[torch.arange(len(target)), target] -= 1
    return p / len(target)
