"""Right and wrong answers to `generative.multivariate_log_density`."""

import math

import torch

from grader.author.answers import right, wrong


@right
def inverse_and_log_determinant(input, mean, covariance):
    gap = input.unsqueeze(-2) - mean  # (..., C, D)
    inverse = torch.linalg.inv(covariance).expand(len(mean), -1, -1)
    distance = torch.einsum("...ci,cij,...cj->...c", gap, inverse, gap)
    size = input.shape[-1]
    return -0.5 * (distance + torch.linalg.slogdet(covariance)[1] + size * math.log(2 * math.pi))


@right
def along_the_eigenvectors(input, mean, covariance):
    """In the directions of the eigenvectors the features are independent."""
    variance, directions = torch.linalg.eigh((covariance + covariance.mT) / 2)
    columns = []
    for c, center in enumerate(mean):
        k = c if len(covariance) > 1 else 0
        along = (input - center) @ directions[k]
        terms = along**2 / variance[k] + torch.log(2 * math.pi * variance[k])
        columns.append(-terms.sum(-1) / 2)
    return torch.stack(columns, dim=-1)


wrong(
    "not_normalized",
    why=(
        "Without ln det Σ a wide Gaussian costs nothing: it is never far from anything, and the "
        "class with the largest covariance wins everywhere."
    ),
    change={" - scale.log().sum(dim=1, keepdim=True)": ""},
)


wrong(
    "two_pi_forgotten",
    why="The D ln 2π is missing: the result ranks classes as before, but is no density.",
    change={"(2 * torch.pi) ** 0.5 * root": "root"},
)


wrong(
    "two_pi_once",
    why="2π stands there once for all features; each of the D brings its own factor √(2π).",
    change={"(2 * torch.pi) ** 0.5 * root": "(2 * torch.pi) ** (0.5 / len(root[0])) * root"},
)


wrong(
    "determinant_counted_twice",
    why=(
        "ln det Σ is twice the sum of the logarithms of R's diagonal, and half of it is wanted: "
        "the sum itself."
    ),
    change={
        "- scale.log().sum(dim=1, keepdim=True)": (
            "- 2 * root.diagonal(dim1=1, dim2=2).log().sum(dim=1, keepdim=True) "
            "- 0.5 * root.shape[1] * math.log(2 * math.pi)"
        ),
        "root = torch": "import math\n    root = torch",
    },
)


wrong(
    "determinant_as_a_number",
    why=(
        "The determinant was computed and then its logarithm: with many narrow features it is 0 "
        "for a computer. Sum the logarithms of the diagonal of R, or take `slogdet`."
    ),
    change={
        "scale.log().sum(dim=1, keepdim=True)": (
            "0.5 * (torch.linalg.det(covariance) * (2 * torch.pi) ** root.shape[1]).log()[:, None]"
        )
    },
)


wrong(
    "transposed_factor",
    why=(
        "The system was solved with Rᵀ. The distance is ‖R⁻¹(x − m)‖², with R the lower triangle "
        "of Σ = R Rᵀ."
    ),
    change={"(root, gaps.mT, upper=False)": "(root.mT, gaps.mT, upper=True)"},
)


wrong(
    "factor_not_inverted",
    why="The distances were multiplied by R and not by its inverse: wide directions count most.",
    change={"torch.linalg.solve_triangular(root, gaps.mT, upper=False)": "(root @ gaps.mT)"},
)


wrong(
    "covariance_for_its_inverse",
    why="(x − m)ᵀ Σ (x − m) was computed; it is Σ⁻¹ that measures distance in deviations.",
    change={
        "torch.linalg.solve_triangular(root, gaps.mT, upper=False)": "(root.mT @ gaps.mT)",
    },
)


wrong(
    "diagonal_only",
    why="Only the variances were used: this is naive Bayes again, whose contours cannot tilt.",
    change={
        "torch.linalg.cholesky(covariance)": (
            "torch.diag_embed(covariance.diagonal(dim1=1, dim2=2).sqrt())"
        )
    },
)


wrong(
    "half_forgotten",
    why="The exponent is −½ times the squared distance.",
    change={"-0.5 * straight": "-straight"},
)


wrong(
    "classes_in_front",
    why="The axis of the classes stands first; it comes last, (..., C).",
    change={
        "density.T.reshape(*input.shape[:-1], len(mean))": (
            "density.reshape(len(mean), *input.shape[:-1])"
        )
    },
)


wrong(
    "reshaped_and_not_transposed",
    why=(
        "(C, B) was reshaped into (B, C): the numbers are right and stand in the wrong places. "
        "Transpose first."
    ),
    change={"density.T.reshape": "density.reshape"},
)
