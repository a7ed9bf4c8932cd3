"""Right and wrong answers to `linear.normal_equations`."""

import torch

from grader.author.answers import right, wrong


@right
def column_of_ones(features, target, *, l2=0.0):
    centered = features - features.mean(dim=0)
    if l2 == 0 and torch.linalg.matrix_rank(centered, rtol=1e-10) < features.shape[1]:
        raise ValueError("no single solution")
    count, size = features.shape
    x = torch.cat([features, features.new_ones(count, 1)], dim=1)
    penalty = torch.full((size + 1,), count * l2, dtype=x.dtype)
    penalty[-1] = 0.0  # the bias is free
    solution = torch.linalg.inv(x.T @ x + torch.diag(penalty)) @ (x.T @ target)
    return solution[:size].T, solution[size]


@right
def singular_values(features, target, *, l2=0.0):
    centered = features - features.mean(dim=0)
    if l2 == 0 and torch.linalg.matrix_rank(centered, rtol=1e-10) < features.shape[1]:
        raise ValueError("no single solution")
    x = features - features.mean(dim=0)
    y = target - target.mean(dim=0)
    scale = x.norm(dim=0) if l2 == 0 else torch.ones_like(x[0])  # without a penalty, units are free
    u, s, vh = torch.linalg.svd(x / scale, full_matrices=False)
    kept = s > 1e-9 * s.max()
    shrunk = torch.where(kept, s / (s**2 + len(x) * l2), 0.0)
    weight = y.T @ u @ torch.diag(shrunk) @ vh / scale
    return weight, (target - features @ weight.T).mean(dim=0)


@right
def stacked_least_squares(features, target, *, l2=0.0):
    centered = features - features.mean(dim=0)
    if l2 == 0 and torch.linalg.matrix_rank(centered, rtol=1e-10) < features.shape[1]:
        raise ValueError("no single solution")
    count, size = features.shape
    center = features.mean(dim=0, keepdim=True)
    x = torch.cat([features - center, (count * l2) ** 0.5 * torch.eye(size, dtype=features.dtype)])
    y = torch.cat([target - target.mean(dim=0), target.new_zeros(size, target.shape[1])])
    q, r = torch.linalg.qr(x)
    weight = torch.linalg.solve_triangular(r, q.T @ y, upper=True).T
    return weight, target.mean(dim=0) - (center @ weight.T).squeeze(0)


@wrong(
    why=(
        "A column of ones makes the bias one more weight, and then the penalty "
        "pulls it to 0 as well; the prediction would change if all targets "
        "were shifted by a constant."
    )
)
def bias_penalized(features, target, *, l2=0.0):
    centered = features - features.mean(dim=0)
    if l2 == 0 and torch.linalg.matrix_rank(centered, rtol=1e-10) < features.shape[1]:
        raise ValueError("no single solution")
    ones = features.new_ones(len(features), 1)
    x = torch.cat([features, ones], dim=1)
    penalty = len(x) * l2 * torch.eye(x.shape[1], dtype=x.dtype)
    solution = torch.linalg.solve(x.T @ x + penalty, x.T @ target)
    return solution[:-1].T, solution[-1]


@wrong(
    why=(
        "This solves for a plane through the origin: without a bias (or centering) the weights "
        "also have to explain the mean of the target."
    )
)
def no_bias(features, target, *, l2=0.0):
    x = features
    penalty = len(x) * l2 * torch.eye(x.shape[1], dtype=x.dtype)
    weight = torch.linalg.solve(x.T @ x + penalty, x.T @ target).T
    return weight, features.new_zeros(target.shape[1])


wrong(
    "features_not_centered",
    why=(
        "The bias b = ȳ − W x̄ is right, but W came from the features as they "
        "are; with b inserted, only their distances to the mean x̄ are left in "
        "the equations."
    ),
    change={"x = features - center": "x = features"},
)


wrong(
    "penalty_not_times_examples",
    why=(
        "The loss is a mean over B examples; multiplying the equations by B, "
        "so that XᵀX stands alone, multiplies λ by B as well."
    ),
    change={"len(x) * l2": "l2"},
)


wrong(
    "penalty_halved",
    why=(
        "λ Σ W² has the derivative 2 λ W, and the 2 cancels against that of "
        "the squared loss; ½ λ Σ W² is another convention, with another λ."
    ),
    change={"len(x) * l2": "len(x) * l2 / 2"},
)


wrong(
    "bias_is_mean_of_target",
    why=(
        "b = ȳ would be right if the features had mean zero; those of the caller have mean x̄, "
        "so W x̄ has to be subtracted."
    ),
    change={" - weight @ center": ""},
)


wrong(
    "one_mean_for_all_outputs",
    why=(
        "The mean of the target was taken over examples and outputs at once; "
        "each output has a mean of its own."
    ),
    change={"target.mean(dim=0)": "target.mean()"},
)


wrong(
    "weight_not_transposed_back",
    why="The equations are solved for Wᵀ, (D, C); the weight is (C, D).",
    change={"return weight,": "return weight.T,"},
)


@wrong(
    why=(
        "A constant feature is rejected, but a feature that is a sum of others is not, nor are "
        "too few examples: there, too, many weights fit equally well, and the docstring promises "
        "a ValueError."
    ),
    corner=True,
)
def looked_for_constant_features_alone(features, target, *, l2=0.0):
    x = features - features.mean(dim=0)
    if l2 == 0 and (x.abs().amax(dim=0) < 1e-12 * features.abs().amax(dim=0)).any():
        raise ValueError("a feature is constant")
    penalty = len(x) * l2 * torch.eye(x.shape[1], dtype=x.dtype)
    if l2 == 0:  # singular equations, solved as they are, give other rounding on every processor
        weight = (torch.linalg.pinv(x, rtol=1e-10) @ target).T
    else:
        weight = torch.linalg.solve(x.T @ x + penalty, x.T @ target).T
    return weight, target.mean(dim=0) - weight @ features.mean(dim=0)


@wrong(
    why=(
        "Without a penalty the equations may have many solutions, and one of them was returned; "
        "the docstring promises a ValueError, so that nobody reads meaning into it."
    ),
    corner=True,
)
def singular_equations_solved(features, target, *, l2=0.0):
    x = features - features.mean(dim=0)
    penalty = len(x) * l2 * torch.eye(x.shape[1], dtype=x.dtype)
    if l2 == 0:
        weight = (torch.linalg.pinv(x, rtol=1e-10) @ target).T
    else:
        weight = torch.linalg.solve(x.T @ x + penalty, x.T @ target).T
    return weight, target.mean(dim=0) - weight @ features.mean(dim=0)


wrong(
    "rank_of_the_products",
    why=(
        "Features in very different units were rejected as dependent. Compute the rank of X̃, up "
        "to its rounding: X̃ᵀX̃ has the squares of its singular values, and a limit of 10⁻⁷ is "
        "too coarse."
    ),
    change={
        "_rank(x, features.norm()) < x.shape[1]": (
            "torch.linalg.matrix_rank(x.T @ x, rtol=1e-14) < x.shape[1]"
        )
    },
    corner=True,
)


@wrong(
    why=(
        "Whether a feature is constant was decided by a fixed number. In units of 10⁻⁹ every "
        "feature varies by less than that; compare with the rounding of its own size."
    ),
    corner=True,
)
def constant_below_a_fixed_number(features, target, *, l2=0.0):
    x = features - features.mean(dim=0)
    if l2 == 0:
        flat = x.abs().amax(dim=0) < 1e-8
        if flat.any() or torch.linalg.matrix_rank(x / x.norm(dim=0)) < x.shape[1]:
            raise ValueError("no single solution")
    penalty = len(x) * l2 * torch.eye(x.shape[1], dtype=x.dtype)
    weight = torch.linalg.solve(x.T @ x + penalty, x.T @ target).T
    return weight, target.mean(dim=0) - weight @ features.mean(dim=0)


@wrong(
    why=(
        "Features that are nearly equal were rejected as dependent. As long as they differ by "
        "more than rounding, there is one solution, and it must be returned."
    ),
    corner=True,
)
def dependent_within_some_hundredths(features, target, *, l2=0.0):
    x = features - features.mean(dim=0)
    if l2 == 0:
        flat = x.abs().amax(dim=0) <= 1e-12 * features.abs().amax(dim=0)
        if flat.any() or torch.linalg.matrix_rank(x / x.norm(dim=0), rtol=2e-2) < x.shape[1]:
            raise ValueError("no single solution")
    penalty = len(x) * l2 * torch.eye(x.shape[1], dtype=x.dtype)
    weight = torch.linalg.solve(x.T @ x + penalty, x.T @ target).T
    return weight, target.mean(dim=0) - weight @ features.mean(dim=0)
