"""Right and wrong answers to `embeddings.keep_probability`."""

import torch

from grader.author.answers import right, wrong


@right
def limit_on_counts(counts, *, threshold):
    counts = counts.double()
    limit = threshold * counts.sum()
    return torch.where(counts > limit, (limit / counts).sqrt(), 1.0)


@right
def word_by_word(counts, *, threshold):
    total = sum(counts.tolist())
    kept = [min(1.0, (threshold * total / n) ** 0.5) if n else 1.0 for n in counts.tolist()]
    return torch.tensor(kept, dtype=torch.float64)


wrong(
    "probability_of_dropping",
    why=(
        "1 − √(t / f) is the probability of dropping an occurrence, as the paper gives it; "
        "return the probability of keeping one."
    ),
    change={
        "(threshold / share).sqrt().clamp(max=1)": ("1 - (threshold / share).sqrt().clamp(max=1)")
    },
)


wrong(
    "formula_of_the_c_code",
    why=(
        "(√(f / t) + 1) · t / f is what the C code of word2vec computes, and "
        "many pages repeat; the paper's formula, which is asked for here, is "
        "√(t / f)."
    ),
    change={
        "(threshold / share).sqrt().clamp(max=1)": (
            "((threshold / share).sqrt() + threshold / share).clamp(max=1)"
        )
    },
)


wrong(
    "above_one",
    why="For rare words √(t / f) is above 1; a probability is at most 1.",
    change={".clamp(max=1)": ""},
)


wrong(
    "no_root",
    why=(
        "Without the root, all frequent words would be reduced to the same number of "
        "occurrences, and their order would be lost."
    ),
    change={".sqrt()": ""},
)


wrong(
    "counts_for_shares",
    why=(
        "The threshold is a share of the text, but it was compared with a count; a longer text "
        "would lose more of every word."
    ),
    change={"counts / counts.sum()": "counts"},
)


wrong(
    "upside_down",
    why=("√(f / t) grows with frequency: it keeps the frequent words and drops the rare."),
    change={"threshold / share": "share / threshold"},
)


wrong(
    "counts_changed",
    why=(
        "The counts themselves were changed: `.double()` does not copy a tensor that is float64 "
        "already, so an operation in place writes into the caller's tensor."
    ),
    change={"share = counts / counts.sum()": "share = counts.div_(counts.sum())"},
    corner=True,
)


@wrong(
    why=(
        "The counts were added up in their own dtype. Half precision ends at 65,504: the sum is "
        "infinite, every share is 0, and every word is kept."
    ),
    corner=True,
)
def summed_before_the_cast(counts, *, threshold):
    return (threshold / (counts.double() / counts.sum())).sqrt().clamp(max=1)
