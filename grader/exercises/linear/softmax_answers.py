"""Right and wrong answers to `linear.softmax`."""

import torch

from grader.author.answers import equivalent, right, wrong


@right
def shifted_and_divided(input, dim=-1):
    powers = torch.exp(input - input.detach().amax(dim=dim, keepdim=True))
    return powers / powers.sum(dim=dim, keepdim=True)


@right
def axis_moved_to_the_end(input, dim=-1):
    rows = input.movedim(dim, -1)
    rows = rows - rows.max(dim=-1, keepdim=True).values
    total = torch.logsumexp(rows, dim=-1, keepdim=True)
    return torch.exp(rows - total).movedim(-1, dim)


@wrong(
    why=(
        "exp(1000) is infinite, and ∞/∞ is not a number; a softmax does not "
        "change when the largest score is subtracted from all, and then no "
        "exponential exceeds 1."
    )
)
def exponential_overflows(input, dim=-1):
    powers = input.exp()
    return powers / powers.sum(dim=dim, keepdim=True)


@wrong(
    why=(
        "The largest number of the whole tensor was subtracted; a row far "
        "below it underflows to 0/0. Each row needs its own maximum."
    )
)
def one_shift_for_all_rows(input, dim=-1):
    powers = (input - input.max()).exp()
    return powers / powers.sum(dim=dim, keepdim=True)


@wrong(
    why=(
        "The sum ran over all numbers, so the whole batch shares a probability "
        "of 1; each row should have its own."
    )
)
def sums_to_one_over_everything(input, dim=-1):
    powers = (input - input.amax(dim=dim, keepdim=True)).exp()
    return powers / powers.sum()


wrong(
    "axis_ignored",
    why="The probabilities sum to 1 along the last axis, whatever `dim` says.",
    change={
        "amax(dim=dim, keepdim=True)": "amax(dim=-1, keepdim=True)",
        "sum(dim=dim, keepdim=True)": "sum(dim=-1, keepdim=True)",
    },
)


wrong(
    "logarithm_returned",
    why="These are the logarithms of the probabilities; one `exp` is missing.",
    change={
        "return powers / powers.sum(dim=dim, keepdim=True)": (
            "return input - log_sum_exp(input, dim).unsqueeze(dim)"
        )
    },
)


wrong(
    "axis_dropped",
    why=(
        "The axis was summed away, so the sums line up with the columns and not with their rows; "
        "`keepdim=True` keeps them where they belong."
    ),
    change={"powers.sum(dim=dim, keepdim=True)": "powers.sum(dim=dim)"},
)


@wrong(
    why=(
        "Divided by the largest exponential instead of their sum: the best "
        "score gets 1, and the row sums to more."
    )
)
def divided_by_the_largest(input, dim=-1):
    return (input - input.amax(dim=dim, keepdim=True)).exp()


equivalent(
    "largest = (input).amax(dim=dim, keepdim=True)",
    why="what flows back through the largest score cancels; leaving it out saves the work",
)
