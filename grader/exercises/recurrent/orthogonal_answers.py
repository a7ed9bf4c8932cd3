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
        "The signs of Q were left as the decomposition happened to choose them; they are "
        "chosen so that R has a positive diagonal."
    ),
    change={"    q = q * r.diagonal().sign()\n": ""},
)


wrong(
    "signs_of_rows",
    why="The signs turn columns of Q around, one for each column; you turned its rows.",
    change={
        "q * r.diagonal().sign()": (
            "q * torch.cat([r.diagonal().sign(), q.new_ones(len(q) - len(r))])[:, None]"
        )
    },
)


wrong(
    "wide_not_transposed",
    why=(
        "Of a wide matrix the Q has as many columns as there are rows, not the shape that "
        "was asked for; decompose the transpose."
    ),
    change={"normal.shape[0] < normal.shape[1]": "False"},
)


wrong(
    "not_transposed_back",
    why="The transpose was decomposed and its Q came back in that shape.",
    change={"return q.T if wide else q": "return q"},
)


wrong(
    "columns_scaled",
    why=(
        "The columns were brought to length 1 and not to right angles: a product of many "
        "such matrices still stretches."
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
        "All projections were taken of the column as it was given. Where columns are nearly the "
        "same, rounding leaves them far from a right angle; take each projection of what is left "
        "and do it twice, or use a QR decomposition."
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
