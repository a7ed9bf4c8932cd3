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
    why=(
        "The word is its own nearest neighbor, with cosine 1; that is no news, so it is left out."
    ),
    change={"torch.where(others, unit @ unit[word], -math.inf)": "unit @ unit[word]"},
)


wrong(
    "dot_product",
    why=(
        "These are dot products; long vectors win them whatever their "
        "direction, and frequent words have long vectors."
    ),
    change={"vectors / vectors.norm(dim=1, keepdim=True)": "vectors"},
)


@wrong(
    why=(
        "These are the smallest distances; they depend on how long the vectors "
        "are, and the cosine on their directions alone."
    )
)
def euclidean(vectors, word, *, count):
    distance = (vectors - vectors[word]).norm(dim=1)
    distance[word] = math.inf
    best = distance.topk(count, largest=False)
    return best.indices, best.values


@wrong(
    why=(
        "The word's row was taken out before `topk`, so every later word moved "
        "up by one: the cosines are right, and the numbers are of other words."
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
    why="The norm was taken down the columns: that scales features, not words.",
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
        "The word's own cosine was set to 0, which is no small value here: "
        "when all others point away, the word comes back as its own neighbor."
    ),
    change={"-math.inf": "0.0"},
)


wrong(
    "asks_unscaled",
    why=(
        "The vector that asks was not scaled; the order is right, the cosines "
        "are too large or too small by its length."
    ),
    change={"unit @ unit[word]": "unit @ vectors[word]"},
)
