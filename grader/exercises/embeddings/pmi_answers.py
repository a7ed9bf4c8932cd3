"""Right and wrong answers to `embeddings.pmi`."""

import math

import torch

from grader.author.answers import right, wrong


@right
def sums_of_logarithms(counts, *, power=1.0):
    counts = counts.double()
    joint = counts / counts.sum()
    center = joint.sum(dim=1)
    context = joint.sum(dim=0) ** power
    context = context / context.sum()
    found = joint.log() - torch.outer(center, context).log()
    return torch.where(joint == 0, torch.full_like(joint, -math.inf), found)


@right
def cell_by_cell(counts, *, power=1.0):
    result = torch.full(counts.shape, -math.inf, dtype=torch.float64)
    counts = counts.double()
    total = counts.sum().item()
    smooth = [n**power for n in counts.sum(dim=0).tolist()]
    for w, row in enumerate(counts.tolist()):
        for c, n in enumerate(row):
            if n:
                chance = sum(row) / total * smooth[c] / sum(smooth)
                result[w, c] = math.log(n / total / chance)
    return result


wrong(
    "not_normalized",
    why=(
        "Counts were divided by counts; probabilities need the total: without "
        "it every value is too small by the logarithm of the number of pairs."
    ),
    change={"* context / context.sum()": "* context"},
)


@wrong(
    why=(
        "The power was applied to the counts of the words, the sums of the rows; apply it to the "
        "contexts, the sums of the columns. With a power of 1 the two are the same."
    )
)
def power_of_the_words(counts, *, power=1.0):
    counts = counts.double()
    context = counts.sum(dim=1, keepdim=True) ** power
    expected = counts.sum(dim=0) * context / context.sum()
    return torch.where(counts > 0, (counts / expected).log(), -math.inf)


wrong(
    "power_after_normalizing",
    why=(
        "The power was applied to the probabilities, but the result was not divided by its sum; "
        "q has to sum to 1, or all values shift by a constant."
    ),
    change={
        "counts.sum(dim=0) ** power": "(counts.sum(dim=0) / counts.sum()) ** power",
        "* context / context.sum()": "* context",
    },
)


wrong(
    "power_on_both",
    why=(
        "The power was applied to centers too; only the contexts' distribution "
        "is flattened, as noise words are drawn as contexts."
    ),
    change={
        "counts.sum(dim=1, keepdim=True) * context": (
            "counts.sum() * (counts.sum(dim=1, keepdim=True) ** power / "
            "(counts.sum(dim=1) ** power).sum()) * context"
        )
    },
)


wrong(
    "bits",
    why=(
        "This is the logarithm to base 2; everything in this book is in nats, "
        "and the shift ln k would no longer fit."
    ),
    change={".log()": ".log2()"},
)


wrong(
    "zero_for_unseen",
    why=(
        "A pair that was never seen got 0, as if its words co-occurred exactly as often as by "
        "chance; its PMI is −∞, and only the next function, PPMI, sets it to 0."
    ),
    change={"-math.inf": "0.0"},
)


wrong(
    "positive_already",
    why=(
        "Negative values were set to 0: that is PPMI, the next function; PMI itself "
        "distinguishes pairs that co-occur less often than by chance from pairs that never do."
    ),
    change={
        "return torch.where(counts > 0, (counts / expected).log(), -math.inf)": (
            "return torch.where(counts > 0, (counts / expected).log(), -math.inf).clamp(min=0)"
        )
    },
)


wrong(
    "nan_for_words_never_seen",
    why=(
        "For a word or a context that never occurs, 0 / 0 is NaN; its pairs were never seen "
        "either, so their PMI is −∞."
    ),
    change={
        "torch.where(counts > 0, (counts / expected).log(), -math.inf)": (
            "(counts / expected).log()"
        )
    },
    corner=True,
)


wrong(
    "one_added",
    why=(
        "One was added to every count, so that no logarithm is infinite; most cells of a real "
        "table are empty, so the added counts would outnumber the real ones."
    ),
    change={"counts = counts.double()": "counts = counts.double() + 1"},
)


wrong(
    "counts_changed",
    why=(
        "The counts themselves were changed: `.double()` does not copy a tensor that is float64 "
        "already, so an operation in place writes into the caller's tensor."
    ),
    change={
        "counts = counts.double()\n": "counts = counts.double()\n    seen = counts > 0\n",
        "torch.where(counts > 0, (counts / expected).log(), -math.inf)": (
            "torch.where(seen, counts.div_(expected).log(), -math.inf)"
        ),
    },
    corner=True,
)


wrong(
    "small_counts_taken_for_zero",
    why=(
        "You took small counts for 0: counts may be fractions, however small, and only 0 means "
        "that a pair was never seen."
    ),
    change={"torch.where(counts > 0,": "torch.where(counts > 1e-6,"},
    corner=True,
)
