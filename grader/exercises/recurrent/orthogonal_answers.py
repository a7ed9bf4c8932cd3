"""Right and wrong answers to `recurrent.orthogonal`."""

import torch

from grader.author.answers import equivalent, right, wrong


@right
def gram_schmidt(normal):
    rows, columns = normal.shape
    tall = normal.T if rows < columns else normal
    found = []
    for column in tall.T:
        for _ in range(2):  # the second time takes away what rounding has left
            for other in found:
                column = column - (other @ column) * other
        found.append(column / column.norm())
    q = torch.stack(found, dim=1)
    return q.T if rows < columns else q


@right
def through_cholesky(normal):
    tall = normal if normal.shape[0] >= normal.shape[1] else normal.T
    wide = tall is not normal
    for _ in range(2):
        upper = torch.linalg.cholesky(tall.T @ tall).T  # R, with a positive diagonal
        tall = tall @ torch.linalg.inv(upper)
    return tall.T if wide else tall


wrong(
    "signs_left",
    why=(
        "The signs of Q were left as the decomposition happened to choose them; choose them so "
        "that R has a positive diagonal."
    ),
    change={"    q = q * r.diagonal().sign()\n": ""},
)


wrong(
    "signs_of_rows",
    why="Each sign multiplies one column of Q; you multiplied its rows.",
    change={
        "q * r.diagonal().sign()": (
            "q * torch.cat([r.diagonal().sign(), q.new_ones(len(q) - len(r))])[:, None]"
        )
    },
)


wrong(
    "wide_not_transposed",
    why=("The Q of a wide matrix is square, not of the required shape; decompose the transpose."),
    change={"normal.shape[0] < normal.shape[1]": "False"},
)


wrong(
    "not_transposed_back",
    why="The transpose was decomposed, but its Q was not transposed back.",
    change={"return q.T if wide else q": "return q"},
)


wrong(
    "columns_scaled",
    why=(
        "The columns have length 1 but are not at right angles: a product of many such matrices "
        "still stretches vectors."
    ),
    change={
        (
            "    q = q * r.diagonal().sign()\n"
        ): "    q = normal / normal.norm(dim=0)\n    wide = False\n"
    },
)


@wrong(
    why=(
        "U Vᵀ of the singular value decomposition is orthogonal too, and the nearest such "
        "matrix; but the statement asks for the Q of the QR decomposition."
    )
)
def nearest_orthogonal(normal):
    u, _, v = torch.linalg.svd(normal, full_matrices=False)
    return u @ v


equivalent(
    "q = ((q) / (r.diagonal().sign()))", why="the signs are 1 and −1: to divide is to multiply"
)


@wrong(
    why=(
        "All projections were computed from the original column. If columns are nearly equal, "
        "rounding leaves the results far from right angles; project the remainder after each "
        "step and repeat this twice, or use a QR decomposition."
    ),
    corner=True,
)
def gram_schmidt_once(normal):
    wide = normal.shape[0] < normal.shape[1]
    columns = []
    for column in normal if wide else normal.T:
        left = column - sum(((one @ column) * one for one in columns), torch.zeros_like(column))
        columns.append(left / left.norm())
    return torch.stack(columns, dim=0 if wide else 1)
