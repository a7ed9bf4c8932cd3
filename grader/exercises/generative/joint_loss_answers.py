"""Right and wrong answers to `generative.joint_loss`."""

import torch

from grader.author.answers import right, wrong


@right
def picked_by_row_number(input, target):
    rows = torch.arange(len(target))
    return -input[rows, target].sum() / len(target)


@right
def picked_by_a_mask(input, target):
    right = torch.nn.functional.one_hot(target, input.shape[1]).bool()
    return -torch.masked_select(input, right).mean()


@right
def loss_of_torch(input, target):
    return torch.nn.functional.nll_loss(input, target)


wrong(
    "cross_entropy",
    why=(
        "The scores were normalized over the classes first. That gives −ln p(y "
        "| x), the loss of a discriminative model; how probable x is has "
        "dropped out."
    ),
    change={"-input.gather": "-input.log_softmax(dim=1).gather"},
)


wrong(
    "evidence",
    why="This is −ln p(x), over all classes; it never looks at the label.",
    change={"-input.gather(1, target[:, None])": "-(input.logsumexp(dim=1) - 0 * target)"},
)


wrong(
    "best_class",
    why=(
        "The largest entry of each row was taken instead of that of the right "
        "class: the model is rewarded for whatever it believes."
    ),
    change={"-input.gather(1, target[:, None])": "-(input.amax(dim=1) - 0 * target)"},
)


wrong(
    "sum_over_examples",
    why=("Summed instead of averaged: twice the data would need half the learning rate."),
    change={".mean()": ".sum()"},
)


wrong(
    "sign",
    why="A loss is to be made small, a density large: the sign is missing.",
    change={"-input.gather": "input.gather"},
)


wrong(
    "every_class_against_every_label",
    why=(
        "`input[:, target]` takes the columns of all labels for every row, a (B, B) "
        "matrix; take the right class of *each* row."
    ),
    change={"input.gather(1, target[:, None])": "input[:, target]"},
)


wrong(
    "zero_times_infinity",
    why=(
        "The right class was picked by multiplying with 0 and 1, and 0 · (−∞) is NaN: pick it by "
        "its number."
    ),
    change={
        "input.gather(1, target[:, None]).mean()": (
            "(input * nn.functional.one_hot(target, input.shape[1])).sum(dim=1).mean()"
        )
    },
    corner=True,
)


wrong(
    "infinity_cut_off",
    why=(
        "−∞ was replaced by a large number. An input that its class never makes has density 0, "
        "and the loss is infinite."
    ),
    change={"-input.gather": "-input.nan_to_num(nan=torch.nan).gather"},
    corner=True,
)
