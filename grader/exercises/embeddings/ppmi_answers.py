"""Right and wrong answers to `embeddings.ppmi`."""

import math

import torch

from grader.author.answers import right, wrong
from solutions.embeddings import pmi


@right
def maximum_with_zeros(counts, *, power=1.0, negatives=1.0):
    shifted = pmi(counts, power=power) - math.log(negatives)
    return torch.maximum(shifted, torch.zeros_like(shifted))


@right
def ratio_above_one(counts, *, power=1.0, negatives=1.0):
    ratio = pmi(counts, power=power).exp() / negatives
    return torch.where(ratio > 1, ratio, 1.0).log()


wrong(
    "cut_before_the_shift",
    why=(
        "Negative values were set to 0 before the shift, which made them negative again: every "
        "empty cell is now −ln k."
    ),
    change={
        "(pmi(counts, power=power) - math.log(negatives)).clamp(min=0)": (
            "pmi(counts, power=power).clamp(min=0) - math.log(negatives)"
        )
    },
)


wrong(
    "not_cut",
    why=(
        "Negative values are still there, and −∞ where a pair was never seen; a singular value "
        "decomposition cannot handle that."
    ),
    change={".clamp(min=0)": ""},
)


wrong(
    "not_shifted",
    why=("`negatives` was ignored: the shift by ln k raises the threshold for a pair."),
    change={" - math.log(negatives)": ""},
)


wrong(
    "shifted_up",
    why=(
        "ln k was added; subtract it, so that a pair has to occur more than k times as often as "
        "by chance."
    ),
    change={" - math.log(negatives)": " + math.log(negatives)"},
)


wrong(
    "shifted_by_k",
    why=("k itself was subtracted; PMI is a logarithm, so a factor of k is a shift by ln k."),
    change={"math.log(negatives)": "negatives"},
)


@wrong(
    why=(
        "Values below ln k were set to 0 and the others not shifted; with "
        "max(PMI − ln k, 0), a value just above the threshold is just above 0."
    )
)
def small_values_kept(counts, *, power=1.0, negatives=1.0):
    found = pmi(counts, power=power)
    return torch.where(found > math.log(negatives), found, 0.0)
