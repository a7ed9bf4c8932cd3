"""Right and wrong answers to `embeddings.partner_ranks`."""

import math

import torch

from grader.author.answers import right, wrong
from solutions.embeddings import nearest


@right
def place_among_the_neighbors(vectors, pairs):
    ranks = []
    for a, b in pairs.tolist():
        row = []
        for word, partner in ((a, b), (b, a)):
            order, cosines = nearest(vectors, word, count=len(vectors) - 1)
            place = order.tolist().index(partner)
            while place and cosines[place - 1] == cosines[place]:  # as near, and not nearer
                place -= 1
            row.append(1 + place)
        ranks.append(row)
    return torch.tensor(ranks, dtype=torch.int64).reshape(-1, 2)


@right
def rows_of_a_cosine_table(vectors, pairs):
    length = vectors.square().sum(1).sqrt()
    cosine = (vectors / length[:, None]) @ (vectors / length[:, None]).T
    word, partner = pairs.flatten(), pairs.flip(1).flatten()
    rows = cosine[word]
    others = torch.arange(len(vectors)) != word[:, None]
    nearer = (rows > cosine[word, partner][:, None]) & others
    return nearer.sum(dim=1).reshape(-1, 2) + 1


wrong(
    "counted_from_zero",
    why=(
        "The count of nearer words is one less than the rank; with ranks from "
        "0 the reciprocal of the best one is infinite."
    ),
    change={"1 + (cosine > partner)": "(cosine > partner)"},
)


wrong(
    "itself_counted",
    why=(
        "Every rank is one too large, so no partner can be first: the word "
        "itself was counted among the nearer ones, or the partner was (`>=` "
        "for `>`)."
    ),
    change={"cosine = cosine.scatter(2, pairs.unsqueeze(2), -math.inf)": "cosine = 1.0 * cosine"},
)


wrong(
    "dot_product",
    why="The ranks are by dot product, so long vectors are near to every word.",
    change={"vectors / vectors.norm(dim=1, keepdim=True)": "vectors"},
)


@wrong(
    why=(
        "`argsort` gives the word at each rank; to get the rank of a word, invert it (apply "
        "`argsort` again)."
    )
)
def word_for_rank(vectors, pairs):
    unit = vectors / vectors.norm(dim=1, keepdim=True)
    cosine = (unit @ unit.T).fill_diagonal_(-math.inf)
    order = cosine.argsort(dim=1, descending=True)
    return 1 + order[pairs, pairs.flip(1)]


wrong(
    "farther_words_counted",
    why=(
        "The words with a smaller cosine were counted: the rank is counted from the farthest word."
    ),
    change={"cosine > partner": "cosine < partner"},
)


wrong(
    "columns_exchanged",
    why=(
        "The two directions are swapped; being the nearest neighbor is not mutual, so the ranks "
        "differ."
    ),
    change={".sum(dim=2)": ".sum(dim=2).flip(1)"},
)


wrong(
    "behind_those_as_near",
    why=(
        "Words as near as the partner were counted as nearer, all of them or those with smaller "
        "numbers; the rank is one more than the number of words that are nearer."
    ),
    change={"1 + (cosine > partner).sum(dim=2)": "(cosine >= partner).sum(dim=2)"},
    corner=True,
)
