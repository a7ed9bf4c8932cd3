"""Right and wrong answers to `embeddings.cooccurrence`."""

import torch

from grader.author.answers import right, wrong
from solutions.embeddings import one_hot


@right
def one_hot_products(pairs, words):
    if pairs.numel() and (int(pairs.min()) < 0 or int(pairs.max()) >= words):
        raise ValueError("no such word")
    center, context = one_hot(pairs, words).unbind(dim=1)
    return (center.T @ context).round().long()


@right
def pair_by_pair(pairs, words):
    counts = torch.zeros(words, words, dtype=torch.int64)
    for center, context in pairs.tolist():
        if not (0 <= center < words and 0 <= context < words):
            raise ValueError("no such word")
        counts[center, context] += 1
    return counts


@wrong(
    why=(
        "Each pair was counted once, however often it occurs; assignment through indices does "
        "this, even `counts[i, j] += 1` with index tensors."
    )
)
def each_pair_once(pairs, words):
    if ((pairs < 0) | (pairs >= words)).any():
        raise ValueError("no such word")
    counts = torch.zeros(words, words, dtype=torch.int64)
    counts[pairs[:, 0], pairs[:, 1]] += 1
    return counts


wrong(
    "numbers_not_checked",
    why=(
        "A number outside the vocabulary was counted in another word's cell, or failed later "
        "with an error from torch; the docstring promises a ValueError."
    ),
    change={"if ((pairs < 0) | (pairs >= words)).any():": "if False:"},
    corner=True,
)


wrong(
    "contexts_not_checked",
    why="A context beyond the vocabulary was not rejected: it is counted in the next row.",
    change={
        "if ((pairs < 0) | (pairs >= words)).any():": (
            "if ((pairs[:, 0] < 0) | (pairs[:, 0] >= words)).any():"
        )
    },
    corner=True,
)


wrong(
    "transposed",
    why=(
        "The context chose the row; a row belongs to a center, so that it can "
        "become the center's vector."
    ),
    change={"pairs[:, 0] * words + pairs[:, 1]": "pairs[:, 1] * words + pairs[:, 0]"},
)


wrong(
    "counted_both_ways",
    why=(
        "Each pair was counted in both directions; the list holds (a, b) and "
        "(b, a) already, so every count comes out double."
    ),
    change={
        ".reshape(words, words)": (
            ".reshape(words, words) + torch.bincount(pairs[:, 1] * words + "
            "pairs[:, 0], minlength=words * words).reshape(words, words)"
        )
    },
)


wrong(
    "shares",
    why=(
        "These are shares of all pairs; return the counts, since the reliability of a number "
        "depends on how often a pair was seen."
    ),
    change={
        "minlength=words * words).reshape(words, words)": (
            "minlength=words * words).reshape(words, words) / len(pairs)"
        )
    },
)
