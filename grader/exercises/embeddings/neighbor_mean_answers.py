"""Right and wrong answers to `embeddings.neighbor_mean`."""

import torch

from grader.author.answers import right, wrong
from solutions.embeddings import lookup, neighborhood


@right
def mean_of_listed_positions(sentence, vectors, *, window):
    length = len(sentence)
    out = vectors.new_zeros(length, vectors.shape[1])
    for i in range(length):
        around = range(max(i - window, 0), min(i + window + 1, length))
        near = [j for j in around if j != i]
        if near:
            out[i] = vectors[sentence[near]].mean(dim=0)
    return out


@right
def slices_before_and_after(sentence, vectors, *, window):
    found = vectors[sentence]
    rows = []
    for i in range(len(found)):
        near = torch.cat([found[max(i - window, 0) : i], found[i + 1 : i + 1 + window]])
        rows.append(near.sum(dim=0) / max(len(near), 1))
    return torch.stack(rows)


@right
def sliding_sums_of_a_padded_sentence(sentence, vectors, *, window):
    length, size = len(sentence), vectors.shape[1]
    padded = vectors.new_zeros(length + 2 * window, size)
    padded[window : window + length] = vectors[sentence]
    real = vectors.new_zeros(length + 2 * window)
    real[window : window + length] = 1
    total = padded.unfold(0, 2 * window + 1, 1).sum(dim=2) - vectors[sentence]
    number = real.unfold(0, 2 * window + 1, 1).sum(dim=1, keepdim=True) - 1
    return total / torch.where(number == 0, torch.ones_like(number), number)


wrong(
    "sum",
    why=(
        "The neighbors were added up; positions at the ends have fewer, so "
        "their vectors would be shorter."
    ),
    change={" / number.clamp(min=1)": ""},
)


wrong(
    "divided_by_full_window",
    why=(
        "Divided by 2 × window everywhere; the first and the last positions "
        "have fewer neighbors than that."
    ),
    change={"number.clamp(min=1)": "(2 * window)"},
)


wrong(
    "itself",
    why=(
        "The word's own vector is in the mean; it is the same in every sentence, and the mean "
        "must contain only the neighbors."
    ),
    change={
        "near = neighborhood(len(sentence), window, device=sentence.device)": (
            "near = (neighborhood(len(sentence), window, device=sentence.device) | "
            "torch.eye(len(sentence), dtype=torch.bool, device=sentence.device))"
        )
    },
)


wrong(
    "one_side",
    why=("Only the words before a position are in its mean; the window reaches to both sides."),
    change={").to(vectors.dtype)": ").tril().to(vectors.dtype)"},
)


@wrong(
    why=(
        "Neighbors that are the same word were left out; only the position itself must be left out."
    )
)
def equal_words_left_out(sentence, vectors, *, window):
    near = neighborhood(len(sentence), window, device=sentence.device)
    near = (near & (sentence[:, None] != sentence)).to(vectors.dtype)
    number = near.sum(dim=1, keepdim=True)
    return near @ lookup(sentence, vectors) / number.clamp(min=1)


wrong(
    "division_by_zero",
    why=(
        "A sentence of one word has no neighbors, and 0 / 0 is NaN, which spreads to everything "
        "computed later."
    ),
    change={"number.clamp(min=1)": "number"},
)


@wrong(why="This is the mean of the whole sentence, the same at every position.")
def one_vector_for_all(sentence, vectors, *, window):
    return lookup(sentence, vectors).mean(dim=0).expand(len(sentence), -1).clone()
