"""Right and wrong answers to `training.newton_schulz`."""

import torch

from grader.author.answers import equivalent, right, wrong


@right
def polynomial_of_singular_values(input, *, steps=5, eps=1e-7):
    left, sizes, right = torch.linalg.svd(input, full_matrices=False)
    sizes = sizes / (sizes.square().sum().sqrt() + eps)
    for _ in range(steps):
        sizes = 3.4445 * sizes - 4.7750 * sizes**3 + 2.0315 * sizes**5
    return left * sizes @ right


@right
def products_from_the_right(input, *, steps=5, eps=1e-7):
    wide = input.shape[1] > input.shape[0]
    x = (input.T if wide else input) / (input.pow(2).sum() ** 0.5 + eps)
    for _ in range(steps):
        inner = x.T @ x
        x = 3.4445 * x + x @ (-4.7750 * inner) + 2.0315 * (x @ inner @ inner)
    return x.T if wide else x


wrong(
    "not_divided_first",
    why=(
        "The steps began from X as it came. The polynomial holds singular values below 1 only; "
        "larger ones grow without end."
    ),
    change={"x = x / (torch.linalg.matrix_norm(x) + eps)": "pass"},
)


wrong(
    "divided_by_the_largest",
    why=(
        "X was divided by its largest singular value. That would do as well, but it has to be "
        "found first; the docstring divides by the root of the sum of squares."
    ),
    change={"torch.linalg.matrix_norm(x)": "torch.linalg.matrix_norm(x, 2)"},
)


wrong(
    "product_not_renewed",
    why="A was computed once; after each step X has changed, and A = X Xᵀ with it.",
    change={
        "    for _ in range(steps):\n        square = x @ x.T  # (rows, columns) -> (rows, rows)": (
            "    square = x @ x.T\n    for _ in range(steps):"
        )
    },
)


wrong(
    "cubic_alone",
    why="The term c A² X is missing: the polynomial of the fifth degree became one of the third.",
    change={"(b * square + c * square @ square) @ x": "(b * square) @ x"},
)


wrong(
    "entry_by_entry",
    why=(
        "A² was taken entry by entry (`**` or `*`); it is the matrix A times itself, and only then "
        "do the singular vectors stay."
    ),
    change={"c * square @ square": "c * square**2"},
)


wrong(
    "left_transposed",
    why="A tall matrix went through the steps as Xᵀ and was not turned back.",
    change={"return x.T if tall else x": "return x"},
)


wrong(
    "classic_coefficients",
    why=(
        "15/8, −10/8 and 3/8 belong to the iteration that converges to 1; it lifts small singular "
        "values half as fast, and five steps do not suffice."
    ),
    change={"a, b, c = COEFFICIENTS": "a, b, c = 1.875, -1.25, 0.375"},
)


wrong(
    "exactly_orthogonal",
    why=(
        "U Vᵀ of the singular value decomposition has all singular values at exactly 1. It is what "
        "the steps approach and not what they give, and a decomposition costs far more."
    ),
    change={
        "    for _ in range(steps):\n": (
            "    left, _, right = torch.linalg.svd(x, full_matrices=False)\n"
            "    x = left @ right if steps and x.any() else x\n"
            "    for _ in range(0):\n"
        )
    },
)


wrong(
    "always_five",
    why="The number of steps is the caller's; `steps` does nothing.",
    change={"range(steps)": "range(5)"},
)


equivalent(
    "tall = ((input.shape[0]) >= (input.shape[1]))",
    why="a square matrix may be transposed or not",
)
equivalent(
    "tall = input.shape[1] > input.shape[1]",
    why="X and Xᵀ give the same; only the size of A differs",
)


wrong(
    "the_larger_product",
    why=(
        "The steps give the same for X and Xᵀ, at another price: with 61 rows and 3 columns X Xᵀ "
        "has 3,721 entries and Xᵀ X has 9. You took the larger one."
    ),
    change={"input.shape[0] > input.shape[1]": "input.shape[0] < input.shape[1]"},
    corner=True,
)


wrong(
    "norm_clamped",
    why="ε is added to ‖X‖, whatever its size; you took the larger of the two.",
    change={"(torch.linalg.matrix_norm(x) + eps)": "torch.linalg.matrix_norm(x).clamp(min=eps)"},
)
