"""Right and wrong answers to `linear.paired_difference`."""

import math
import statistics

import torch

from grader.author.answers import right, wrong


@right
def statistics_of_the_gaps(first, second, *, reuse=0.0):
    if len(first) != len(second):
        raise ValueError("the two differ in length")
    if len(first) < 2:
        raise ValueError("fewer than two pairs")
    gaps = [a - b for a, b in zip(first, second, strict=True)]
    mean = statistics.fmean(gaps)
    error = statistics.stdev(gaps) * (1 / len(gaps) + reuse) ** 0.5
    if error > 0:
        return mean, error, mean / error
    if mean == 0:
        return mean, error, 0.0
    return mean, error, math.inf if mean > 0 else -math.inf


@right
def tensors_and_division_by_zero(first, second, *, reuse=0.0):
    one, other = (torch.tensor(values, dtype=torch.float64) for values in (first, second))
    if one.shape != other.shape or len(one) < 2:
        raise ValueError("not the same occasions")
    gaps = one - other
    mean, error = gaps.mean(), (gaps.var() * (1 / len(gaps) + reuse)).sqrt()
    if (gaps == gaps[0]).all():
        mean, error = gaps[0], torch.zeros_like(error)
    ratio = torch.where(mean == 0, 0.0, mean / error)  # x / 0 is ±∞ in torch
    return mean.item(), error.item(), ratio.item()


@right
def sums_and_sums_of_squares(first, second, *, reuse=0.0):
    """The variance from the sum and the sum of squares of what is left after the first gap."""
    count = len(first)
    if count != len(second) or count < 2:
        raise ValueError("not the same occasions")
    start = first[0] - second[0]
    gaps = [first[i] - second[i] - start for i in range(count)]
    total, squares = sum(gaps), sum(gap * gap for gap in gaps)
    variance = max(0.0, (squares - total * total / count) / (count - 1))
    mean = start + total / count
    error = math.sqrt(variance * (1 + reuse * count) / count)
    if error == 0.0:
        return mean, error, (mean > 0) * math.inf if mean > 0 else -math.inf if mean else 0.0
    return mean, error, mean / error


wrong(
    "variance_over_all",
    why=(
        "The squares were divided by n: around a mean of the same n numbers this variance is too "
        "small, most of all for few pairs; divide by n − 1."
    ),
    change={"/ (count - 1)": "/ count"},
)


wrong(
    "spread_and_not_its_error",
    why=(
        "This is the standard deviation of one difference. A mean of n differences varies less, "
        "by a factor of √n: the standard error is s / √n."
    ),
    change={"variance * (1 / count + reuse)": "variance * (1 + reuse)"},
)


wrong(
    "divided_by_n_under_no_root",
    why=(
        "The standard deviation was divided by n; the standard error of a mean of n differences "
        "is s / √n, not s / n."
    ),
    change={
        "error = math.sqrt(variance * (1 / count + reuse))": (
            "error = math.sqrt(variance) * (1 / count + reuse)"
        )
    },
)


wrong(
    "variance_for_error",
    why="The square root is missing: what was returned is the variance of the mean.",
    change={"math.sqrt(variance * (1 / count + reuse))": "variance * (1 / count + reuse)"},
)


wrong(
    "second_minus_first",
    why="The difference is first − second: positive where the first model has the larger result.",
    change={"one - other for": "other - one for"},
)


wrong(
    "size_of_the_difference",
    why=(
        "The sign is lost: the differences are averaged with their signs, and t is negative where "
        "the second is ahead."
    ),
    change={"one - other for": "abs(one - other) for"},
)


@wrong(
    why=(
        "The two were treated as independent: their variances were added. The effect of the "
        "occasions then stays in the variance and hides the difference; subtract pair by pair "
        "first."
    )
)
def not_paired(first, second, *, reuse=0.0):
    if len(first) != len(second) or len(first) < 2:
        raise ValueError("not the same occasions")
    mean = statistics.fmean(first) - statistics.fmean(second)
    variance = statistics.variance(first) + statistics.variance(second)
    error = math.sqrt(variance * (1 / len(first) + reuse))
    if error == 0:
        return mean, error, math.copysign(math.inf, mean) if mean else 0.0
    return mean, error, mean / error


wrong(
    "reuse_ignored",
    why="`reuse` does nothing: s² is multiplied by 1/n + reuse, and the error grows with it.",
    change={"(1 / count + reuse)": "/ count"},
)


wrong(
    "reuse_for_one_over_n",
    why="`reuse` was divided by n as well; it is added to 1/n: more shuffles do not remove it.",
    change={"(1 / count + reuse)": "(1 + reuse) / count"},
)


wrong(
    "zero_for_no_spread",
    why=(
        "If all differences are the same and not 0, the standard error is 0: t is ±∞, with the "
        "sign of the difference."
    ),
    change={"math.copysign(math.inf, mean) if mean else 0.0": "0.0"},
)


wrong(
    "infinity_without_sign",
    why="Where all differences are the same and negative, t is −∞.",
    change={"math.copysign(math.inf, mean) if mean else 0.0": "math.inf if mean else 0.0"},
)


wrong(
    "infinity_for_no_difference",
    why="Two models that never differ have a difference of 0, and t is 0, not ±∞.",
    change={"math.copysign(math.inf, mean) if mean else 0.0": "math.copysign(math.inf, mean)"},
)


wrong(
    "eps_in_the_divisor",
    why=(
        "A small number was added to the divisor; the docstring says what t is if all "
        "differences are the same: ±∞ or 0."
    ),
    change={
        "if error == 0:": "if False:",
        "return mean, error, mean / error": "return mean, error, mean / (error + 1e-12)",
    },
)


wrong(
    "rounding_for_spread",
    why=(
        "The sum 0.1 + 0.1 + 0.1 is slightly more than 0.3, so the mean of equal differences is "
        "off in the last digit, and this rounding error was taken for spread: t is about 10¹⁶, "
        "not ∞. If all differences are the same, the standard error is exactly 0."
    ),
    change={
        "differences[0] + math.fsum(d - differences[0] for d in differences) / count": (
            "sum(differences) / count"
        )
    },
    corner=True,
)


wrong(
    "zero_within_a_tolerance",
    why=(
        "A small standard error was taken for 0. Its size depends on the units of the results; "
        "it is 0 only if all differences are the same number."
    ),
    change={"if error == 0:": "error = 0.0 if error < 1e-10 else error\n    if error == 0:"},
    corner=True,
)
