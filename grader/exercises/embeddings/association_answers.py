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
    why="The vectors were not scaled: long ones, those of frequent words often, decide.",
    change={"unit = vectors / vectors.norm(dim=1, keepdim=True)": "unit = vectors"},
)


wrong(
    "scaled_after_averaging",
    why=(
        "The groups were averaged first and scaled then: a long vector draws its group's mean to "
        "itself. The mean is one of cosines."
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
        "The mean of the group was scaled to length 1 again; then a group whose words disagree "
        "counts as much as one whose words agree."
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
    why="The groups were scaled and the words asked about were not.",
    change={"return unit[words]": "return vectors[words]"},
)


wrong(
    "sums_for_means",
    why="Sums favor the larger group; a mean does not know how many words there are.",
    change={
        "unit[first].mean(dim=0) - unit[second].mean(dim=0)": (
            "unit[first].sum(dim=0) - unit[second].sum(dim=0)"
        )
    },
)


wrong(
    "the_other_group_first",
    why="Positive is nearer to the *first* group; the difference was taken the other way round.",
    change={
        "unit[first].mean(dim=0) - unit[second].mean(dim=0)": (
            "unit[second].mean(dim=0) - unit[first].mean(dim=0)"
        )
    },
)


wrong(
    "one_number_for_all",
    why="The words asked about were averaged; each has an answer of its own.",
    change={"return unit[words] @ directions": "return (unit[words] @ directions).mean()"},
)


wrong(
    "nearest_of_each_group",
    why="The nearest word of each group decides here; the mean over the group is asked for.",
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
        "A small number was put beside the length to be safe, and tiny vectors are no longer of "
        "length 1; no row is zero, so nothing has to be kept safe."
    ),
    change={"vectors.norm(dim=1, keepdim=True)": "(vectors.norm(dim=1, keepdim=True) + 1e-6)"},
)
