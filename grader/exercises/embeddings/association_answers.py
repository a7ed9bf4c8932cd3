"""Right and wrong answers to `embeddings.association`."""

import torch

from grader.author.answers import right, wrong


@right
def cosines_then_means(vectors, words, first, second):
    length = vectors.square().sum(1).sqrt()
    cosine = vectors @ vectors.T / (length[:, None] * length)
    rows = cosine[words]
    return rows[:, first].mean(1) - rows[:, second].mean(1)


@right
def word_by_word(vectors, words, first, second):
    def cosine(a, b):
        return (vectors[a] * vectors[b]).sum() / (vectors[a].norm() * vectors[b].norm())

    found = []
    for word in words.tolist():
        to_first = sum(cosine(word, other) for other in first.tolist()) / len(first)
        to_second = sum(cosine(word, other) for other in second.tolist()) / len(second)
        found.append(to_first - to_second)
    return torch.stack(found) if found else vectors.new_zeros(0)


wrong(
    "products_for_cosines",
    why="The vectors were not scaled: long ones, often those of frequent words, dominate.",
    change={"unit = vectors / vectors.norm(dim=1, keepdim=True)": "unit = vectors"},
)


wrong(
    "scaled_after_averaging",
    why=(
        "The groups were averaged first and then scaled: a long vector dominates its group's "
        "mean. Average cosines instead."
    ),
    change={
        "directions = unit[first].mean(dim=0) - unit[second].mean(dim=0)  # (D,)": (
            "one, other = vectors[first].mean(dim=0), vectors[second].mean(dim=0)\n"
            "    directions = one / one.norm() - other / other.norm()"
        )
    },
)


wrong(
    "mean_of_unit_vectors_scaled",
    why=(
        "The mean of the group was scaled to length 1 again; a group of dissimilar words then "
        "counts as much as one of similar words."
    ),
    change={
        "directions = unit[first].mean(dim=0) - unit[second].mean(dim=0)  # (D,)": (
            "one, other = unit[first].mean(dim=0), unit[second].mean(dim=0)\n"
            "    directions = one / one.norm() - other / other.norm()"
        )
    },
)


wrong(
    "cosine_with_the_direction",
    why="This is the cosine with the direction between the groups, not a difference of means.",
    change={
        "return unit[words] @ directions": "return unit[words] @ directions / directions.norm()"
    },
)


wrong(
    "words_not_scaled",
    why="The groups were scaled, but the words to measure were not.",
    change={"return unit[words]": "return vectors[words]"},
)


wrong(
    "sums_for_means",
    why="Sums favor the larger group; a mean does not depend on the number of words.",
    change={
        "unit[first].mean(dim=0) - unit[second].mean(dim=0)": (
            "unit[first].sum(dim=0) - unit[second].sum(dim=0)"
        )
    },
)


wrong(
    "the_other_group_first",
    why="Positive means nearer to the *first* group; the difference has the wrong sign.",
    change={
        "unit[first].mean(dim=0) - unit[second].mean(dim=0)": (
            "unit[second].mean(dim=0) - unit[first].mean(dim=0)"
        )
    },
)


wrong(
    "one_number_for_all",
    why="The words to measure were averaged; each has a separate result.",
    change={"return unit[words] @ directions": "return (unit[words] @ directions).mean()"},
)


wrong(
    "nearest_of_each_group",
    why="The nearest word of each group decides here; use the mean over the group.",
    change={
        "directions = unit[first].mean(dim=0) - unit[second].mean(dim=0)  # (D,)": "pass",
        "return unit[words] @ directions": (
            "return (unit[words] @ unit[first].T).amax(1) - (unit[words] @ unit[second].T).amax(1)"
        ),
    },
)


wrong(
    "eps_beside_the_length",
    why=(
        "A small number was added to the length, so tiny vectors no longer have length 1; no row "
        "is zero, so nothing has to be added."
    ),
    change={"vectors.norm(dim=1, keepdim=True)": "(vectors.norm(dim=1, keepdim=True) + 1e-6)"},
)
