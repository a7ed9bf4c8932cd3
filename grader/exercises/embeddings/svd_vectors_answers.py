"""Right and wrong answers to `embeddings.svd_vectors`."""

import torch

from grader.author.answers import equivalent, right, wrong


@right
def column_by_column(matrix, size, *, power=0.5):
    if size > min(matrix.shape):
        raise ValueError("not so many singular values")
    u, s, _ = torch.svd(matrix)
    columns = []
    for column, value in zip(u.T[:size], s, strict=False):
        column = column * value**power
        columns.append(column * column[column.abs().argmax()].sign())
    return torch.stack(columns, dim=1)


@right
def eigenvectors_of_the_products(matrix, size, *, power=0.5):
    if size > min(matrix.shape):
        raise ValueError("not so many singular values")
    values, vectors = torch.linalg.eigh(matrix @ matrix.T)
    values, vectors = values.flip(0)[:size], vectors.flip(1)[:, :size]
    turn = torch.where(vectors.amax(dim=0) > -vectors.amin(dim=0), 1.0, -1.0)
    return vectors * values ** (power / 2) * turn


@wrong(
    why=("These are the vectors of the columns, which are contexts; those of the rows are in U.")
)
def right_vectors(matrix, size, *, power=0.5):
    _, s, vh = torch.linalg.svd(matrix, full_matrices=False)
    vectors = vh[:size].T * s[:size] ** power
    largest = vectors.gather(0, vectors.abs().argmax(dim=0, keepdim=True))
    return vectors * largest.sign()


wrong(
    "power_ignored",
    why=(
        "The singular values have power 1, whatever `power` says; the first few directions then "
        "dominate every distance."
    ),
    change={"s[:size] ** power": "s[:size]"},
)


wrong(
    "no_singular_values",
    why=(
        "The singular values are left out, so every direction counts equally, even those that "
        "hardly occur in the matrix."
    ),
    change={"u[:, :size] * s[:size] ** power": "u[:, :size]"},
)


wrong(
    "sign_of_the_first_entry",
    why=(
        "Some columns have the wrong sign: the signs were left as the library chose them, or "
        "taken from the first entry, whose sign can change by rounding; use the entry of largest "
        "magnitude."
    ),
    change={"vectors * largest.sign()": "vectors * torch.sign(vectors[:1])"},
)


wrong(
    "smallest_kept",
    why=(
        "The smallest singular values were kept; the directions worth keeping "
        "are those with the largest ones, which come first."
    ),
    change={
        "vectors = u[:, :size] * s[:size] ** power": (
            "u, s = u.flip(1), s.flip(0); vectors = u[:, :size] * s[:size] ** power"
        )
    },
)


equivalent(
    "u, s, _ = torch.linalg.svd(matrix)",
    why="more left vectors than are kept; the first ones are the same",
)


equivalent(
    "u, s, _ = torch.linalg.svd(matrix, full_matrices=True)",
    why="more left vectors than are kept; the first ones are the same",
)


equivalent("return ((vectors) / (largest.sign()))", why="dividing by 1 or −1 is multiplying by it")
