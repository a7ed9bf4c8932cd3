"""Right and wrong answers to `embeddings.analogy`."""

import torch

from grader.author.answers import right, wrong


@right
def sorted_without_the_question(vectors, question, *, count=1):
    unit = torch.nn.functional.normalize(vectors, dim=1)
    a, b, c = question.tolist()
    target = torch.nn.functional.normalize(unit[c] + unit[b] - unit[a], dim=0)
    cosine = (unit * target).sum(dim=1)
    order = [w for w in cosine.argsort(descending=True).tolist() if w not in (a, b, c)]
    return torch.tensor(order[:count]), cosine[order[:count]]


@right
def cosines_from_inner_products(vectors, question, *, count=1):
    similar = torch.einsum("vd,wd->vw", vectors, vectors)
    length = similar.diagonal().sqrt()
    similar = similar / length / length[:, None]
    sign = torch.tensor([-1.0, 1.0, 1.0], dtype=vectors.dtype)
    scores = similar[:, question] @ sign
    size = (sign @ similar[question][:, question] @ sign).sqrt()
    others = [w for w in range(len(vectors)) if w not in question.tolist()]
    best = (scores / size)[others].sort(descending=True)
    return torch.tensor(others)[best.indices[:count]], best.values[:count]


wrong(
    "question_allowed",
    why=(
        "The words of the question were not excluded; b − a is short compared with c, so c "
        "itself is usually the nearest, and the offset is never tested."
    ),
    change={"cosine.index_fill(0, question, -math.inf)": "cosine"},
)


wrong(
    "question_set_to_zero",
    why=(
        "The cosines of a, b and c were set to 0, which ranks above every answer with a negative "
        "cosine; −∞ ranks below all."
    ),
    change={"-math.inf": "0.0"},
)


wrong(
    "offset_reversed",
    why="a − b + c applies the offset backwards, from b to a.",
    change={"b - a + c\n": "a - b + c\n"},
)


wrong(
    "sum",
    why=("a was added; subtract it, so that the offset removes what a and b share."),
    change={"b - a + c\n": "b + a + c\n"},
)


wrong(
    "lengths_left",
    why=(
        "The three vectors were added up with their lengths, so the longest of them has the most "
        "influence on the direction."
    ),
    change={"unit[question]": "vectors[question]"},
)


wrong(
    "dot_product",
    why="Candidates were compared by dot product, which prefers long vectors.",
    change={"unit @ target": "vectors @ target"},
)


wrong(
    "target_not_scaled",
    why=(
        "The order is right, but these are not cosines: b − a + c does not have length 1 and has "
        "to be scaled as well."
    ),
    change={" / target.norm()": ""},
)
