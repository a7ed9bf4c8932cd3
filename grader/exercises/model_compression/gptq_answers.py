"""Right and wrong answers to `model_compression.gptq`."""

import torch

from grader.author.answers import right, wrong


@right
def by_elimination(weight, inputs, scale, bits, *, damping=0.01):
    """Optimal brain compression: the inverse loses a row and a column after each step."""
    limit = 2 ** (bits - 1) - 1
    hessian = inputs.T @ inputs
    hessian = hessian + damping * hessian.diagonal().mean() * torch.eye(
        len(hessian), dtype=hessian.dtype, device=hessian.device
    )
    inverse, rest, found = torch.linalg.inv(hessian), weight.detach().clone(), []
    while rest.shape[1]:
        code = (rest[:, :1] / scale).round().clamp(-limit, limit)
        found.append(code.to(torch.int8))
        error = (rest[:, :1] - code * scale) / inverse[0, 0]
        rest = rest[:, 1:] - error * inverse[:1, 1:]
        inverse = inverse[1:, 1:] - inverse[1:, :1] @ inverse[:1, 1:] / inverse[0, 0]
    return torch.cat(found, 1)


@right
def by_least_squares(weight, inputs, scale, bits, *, damping=0.01):
    """After each column, the later weights that are best for the damped squared error."""
    limit = 2 ** (bits - 1) - 1
    hessian = inputs.T @ inputs
    hessian = hessian + torch.diag_embed(
        damping * hessian.diagonal().mean().repeat(hessian.shape[0])
    )
    current, codes = weight.clone(), torch.zeros_like(weight, dtype=torch.int8)
    for i in range(weight.shape[1]):
        code = (current[:, i : i + 1] / scale).round().clamp(-limit, limit)
        codes[:, i : i + 1] = code.to(torch.int8)
        current[:, i : i + 1] = code * scale
        if i + 1 < weight.shape[1]:
            moved = (weight - current)[:, : i + 1] @ hessian[: i + 1, i + 1 :]
            change = torch.linalg.solve(hessian[i + 1 :, i + 1 :], moved.T).T
            current[:, i + 1 :] = weight[:, i + 1 :] + change
    return codes


wrong(
    "rounding",
    why=(
        "No later column makes up for an error: this is rounding to nearest, whatever the "
        "inputs are. The update needs an upper triangular factor: in a lower one, U_ij is 0 for "
        "all j > i."
    ),
    change={"weight[:, column + 1 :] -= error * upper[column, column + 1 :]": "pass"},
)


wrong(
    "wrong_direction",
    why="The later columns move the wrong way and add to the error; subtract.",
    change={"weight[:, column + 1 :] -= error": "weight[:, column + 1 :] += error"},
)


wrong(
    "factor_of_the_hessian",
    why="You took the factor of H, and not of its inverse.",
    change={
        "torch.linalg.cholesky(inverse, upper=True)": "torch.linalg.cholesky(hessian, upper=True)"
    },
)


wrong(
    "inverse_not_updated",
    why=(
        "You used the rows of H⁻¹ itself. After a column is rounded it is fixed, and the "
        "inverse for the others changes; the rows of U take care of that."
    ),
    change={"torch.linalg.cholesky(inverse, upper=True)": "inverse"},
)


wrong(
    "not_divided_by_the_diagonal",
    why="The error has to be divided by U_ii.",
    change={" / upper[column, column]": ""},
)


wrong(
    "damping_left_out",
    why="Without damping, H may be singular, and the argument `damping` has no effect.",
    change={"damping * diagonal.mean()": "1e-9 * diagonal.mean()"},
)


wrong(
    "damping_not_relative",
    why=(
        "λ is `damping` times the mean of the diagonal; `damping` alone would mean something else "
        "for inputs in other units."
    ),
    change={"damping * diagonal.mean().expand_as(diagonal)": "damping * torch.ones_like(diagonal)"},
)


wrong(
    "argument_changed",
    why="You changed the weights that were given; work on a clone.",
    change={"weight, codes = weight.clone(), []": "codes = []"},
)
