"""Right and wrong answers to `embeddings.cooccurrence`."""

import torch

from grader.author.answers import right, wrong
from solutions.embeddings import one_hot


@right
def with_unbind(pairs, words):
    center, context = one_hot(pairs, words).unbind(dim=1)
    return (center.T @ context).round().long()


@right
def with_a_loop(pairs, words):
    counts = torch.zeros(words, words, dtype=torch.int64)
    for center, context in pairs.tolist():
        counts[center, context] += 1
    return counts


@wrong(
    why=(
        "Assigning through indices (`counts[i, j] += 1` with index tensors "
        "too) looks at each cell once, however often the pair occurs."
    )
)
def each_pair_once(pairs, words):
    counts = torch.zeros(words, words, dtype=torch.int64)
    counts[pairs[:, 0], pairs[:, 1]] += 1
    return counts


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
        "These are shares of all pairs; how sure one may be of a number "
        "depends on how many times it was seen, so counts are kept as counts."
    ),
    change={
        "minlength=words * words).reshape(words, words)": (
            "minlength=words * words).reshape(words, words) / len(pairs)"
        )
    },
)
