"""Right and wrong answers to `embeddings.nearest`."""

import math

import torch

from grader.author.answers import right, wrong


@right
def sorted_without_the_word(vectors, word, *, count):
    if count > len(vectors) - 1:
        raise ValueError("not so many words")
    length = vectors.square().sum(dim=1).sqrt()
    cosine = vectors @ vectors[word] / (length * length[word])
    order = cosine.argsort(descending=True)
    order = order[order != word][:count]
    return order, cosine[order]


@right
def word_by_word(vectors, word, *, count):
    if count > len(vectors) - 1:
        raise ValueError("not so many words")
    found = []
    for other, vector in enumerate(vectors):
        if other != word:
            size = torch.linalg.norm(vector) * torch.linalg.norm(vectors[word])
            found.append(((vector @ vectors[word] / size).item(), other))
    found = sorted(found, reverse=True)[:count]
    numbers, cosines = [other for _, other in found], [cosine for cosine, _ in found]
    return torch.tensor(numbers, device=vectors.device), vectors.new_tensor(cosines)


wrong(
    "itself",
    why=("The word is its own nearest neighbor, with cosine 1; leave it out."),
    change={"torch.where(others, unit @ unit[word], -math.inf)": "unit @ unit[word]"},
)


wrong(
    "dot_product",
    why=(
        "These are dot products; long vectors have large ones whatever their direction, and "
        "frequent words have long vectors."
    ),
    change={"vectors / vectors.norm(dim=1, keepdim=True)": "vectors"},
)


@wrong(
    why=(
        "These are the smallest distances; they depend on the lengths of the vectors, but the "
        "cosine depends only on their directions."
    )
)
def euclidean(vectors, word, *, count):
    distance = (vectors - vectors[word]).norm(dim=1)
    distance[word] = math.inf
    best = distance.topk(count, largest=False)
    return best.indices, best.values


@wrong(
    why=(
        "The word's row was removed before `topk`, so every later word moved up by one: the "
        "cosines are right, but the numbers belong to other words."
    )
)
def row_removed(vectors, word, *, count):
    unit = vectors / vectors.norm(dim=1, keepdim=True)
    others = torch.cat([unit[:word], unit[word + 1 :]])
    best = (others @ unit[word]).topk(count)
    return best.indices, best.values


wrong(
    "all_scaled_by_one",
    why=(
        "All vectors were divided by one number, the norm of the whole table; "
        "each has to be divided by its own length."
    ),
    change={"vectors.norm(dim=1, keepdim=True)": "vectors.norm()"},
)


wrong(
    "features_scaled",
    why="The norm was computed along the columns: that scales features, not words.",
    change={"norm(dim=1, keepdim=True)": "norm(dim=0, keepdim=True)"},
)


wrong(
    "farthest",
    why=("A cosine grows with similarity; sorted from the smallest, the opposites come first."),
    change={"-math.inf": "math.inf", "cosine.topk(count)": "cosine.topk(count, largest=False)"},
)


wrong(
    "itself_set_to_zero",
    why=(
        "The word's own cosine was set to 0, which is not the smallest possible value: if all "
        "others point away, the word is its own neighbor again."
    ),
    change={"-math.inf": "0.0"},
)


wrong(
    "asks_unscaled",
    why=(
        "The vector of the word itself was not scaled; the order is right, but all cosines are "
        "multiplied by its length."
    ),
    change={"unit @ unit[word]": "unit @ vectors[word]"},
)
