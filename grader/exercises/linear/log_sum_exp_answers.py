"""Right and wrong answers to `linear.log_sum_exp`."""

import torch

from grader.author.answers import equivalent, right, wrong


@right
def one_number_after_the_other(input, dim=-1):
    total, *rest = input.unbind(dim)
    for part in rest:
        apart = torch.where(total == part, 0.0, total - part)  # ∞ − ∞ is not a number
        total = torch.maximum(total, part) + (-apart.abs()).exp().log1p()
    return total


@right
def infinite_maximum_replaced(input, dim=-1):
    top = input.detach().max(dim=dim).values
    top = torch.nan_to_num(top, neginf=0.0)
    return top + torch.log(torch.exp(input - top.unsqueeze(dim)).sum(dim))


@wrong(
    why=(
        "exp(1000) is infinite and exp(−1000) is 0, so the logarithm gives ±∞; subtract the "
        "largest number first."
    )
)
def no_shift(input, dim=-1):
    return input.exp().sum(dim=dim).log()


@wrong(
    why=(
        "The largest number of the whole tensor was subtracted everywhere; a row far below it "
        "underflows to log 0 = −∞. Each row needs its own maximum."
    )
)
def one_shift_for_all_rows(input, dim=-1):
    shift = input.max()
    return (input - shift).exp().sum(dim=dim).log() + shift


wrong(
    "shift_not_added_back",
    why=("The number subtracted inside the exponential has to be added outside the logarithm."),
    change={" + shift.squeeze(dim)": ""},
)


wrong(
    "shift_by_absolute_value",
    why=(
        "The largest absolute value was subtracted; very negative numbers become more negative "
        "still, and their exponentials underflow. It is the largest number that must become 0."
    ),
    change={"input.detach().amax(": "input.abs().amax("},
)


wrong(
    "axis_ignored",
    why="The sum always runs along the last axis, whatever `dim` says.",
    change={
        "amax(dim=dim, keepdim=True)": "amax(dim=-1, keepdim=True)",
        "sum(dim=dim)": "sum(dim=-1)",
        "squeeze(dim)": "squeeze(-1)",
    },
)


wrong(
    "infinity_minus_infinity",
    why=(
        "Where a whole row is −∞ its maximum is too, and −∞ − (−∞) is not a "
        "number; shift such a row by 0 instead. Masked attention produces "
        "these rows."
    ),
    change={"largest.masked_fill(largest.isinf(), 0.0)": "largest"},
)


@wrong(
    why=(
        "The summed axis is still there with size 1; if the result is later subtracted from a "
        "vector, it will broadcast."
    )
)
def axis_kept(input, dim=-1):
    largest = input.amax(dim=dim, keepdim=True)
    shift = torch.where(largest.isinf(), 0.0, largest)
    return (input - shift).exp().sum(dim=dim, keepdim=True).log() + shift


equivalent(
    "shift = largest.masked_fill(largest.isinf(), 1.0)",
    why="any finite shift will do for a row whose largest is infinite",
)


wrong(
    "no_shift_beside_infinity",
    why=(
        "If one row is infinite, no row was shifted, so the others overflow or vanish: "
        "check for infinite values row by row."
    ),
    change={
        "largest.masked_fill(largest.isinf(), 0.0)": (
            "torch.zeros_like(largest) if largest.isinf().any() else largest"
        )
    },
    corner=True,
)


equivalent(
    "largest = (input).amax(dim=dim, keepdim=True)",
    why="what flows back through the largest score cancels; leaving it out saves the work",
)
