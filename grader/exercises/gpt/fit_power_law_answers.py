"""Right and wrong answers to `gpt.fit_power_law`."""

import torch

from grader.author.answers import right, wrong


@right
def by_normal_equations(x, y, *, offset=0.0):
    n = len(x)
    design = torch.stack([torch.ones_like(x), x.log()], dim=1)
    product = design.T @ design
    target = torch.log(y - offset)
    solution = torch.linalg.solve(product, design.T @ target)
    error = target - design @ solution
    covariance = (error @ error) / (n - 2) * torch.linalg.inv(product)
    return torch.exp(solution[0]), -solution[1], covariance[1, 1] ** 0.5


@right
def by_covariances(x, y, *, offset=0.0):
    u, v = torch.log(x), torch.log(y - offset)
    (var_u, both), (_, var_v) = torch.cov(torch.stack([u, v]))
    slope = both / var_u
    left = (var_v - both * slope) * (len(x) - 1)
    error = torch.sqrt(left / (len(x) - 2) / (var_u * (len(x) - 1)))
    return torch.exp(v.mean() - slope * u.mean()), -slope, error


wrong(
    "offset_ignored",
    why=(
        "You did not subtract the offset: y is then not a straight line in logarithms, and the "
        "slope is too flat."
    ),
    change={"(y - offset).log()": "y.log()"},
)


wrong(
    "offset_after_the_logarithm",
    why="You subtracted the offset from ln y; it is a loss: subtract it before the logarithm.",
    change={"(y - offset).log()": "y.log() - offset"},
)


wrong(
    "offset_added",
    why="You added the offset instead of subtracting it: y = offset + a x⁻ᵅ.",
    change={"(y - offset).log()": "(y + offset).log()"},
)


wrong(
    "slope_for_power",
    why="You returned the slope of the line; the law is x⁻ᵅ, so α is minus the slope.",
    change={"-slope, (left": "slope, (left"},
)


wrong(
    "logarithm_of_a",
    why="You returned the value of the line at ln x = 0: that is ln a, not a.",
    change={"start.exp(), -slope": "start, -slope"},
)


wrong(
    "one_axis_in_logarithms",
    why="You took logarithms of y only: that gives a straight line for an exponential, a e⁻ᵅˣ.",
    change={"across, up = x.log(), ": "across, up = x, "},
)


wrong(
    "all_runs_count",
    why="You divided the squared residuals by n; a line has two parameters, so divide by n − 2.",
    change={"(len(x) - 2)": "len(x)"},
)


wrong(
    "spread_of_the_residuals",
    why=(
        "You returned how far the losses lie from the line; for the slope's error, divide by the "
        "spread of ln x."
    ),
    change={"left.square().sum() / (len(x) - 2) / spread": "left.square().sum() / (len(x) - 2)"},
)


wrong(
    "variance_for_error",
    why="You returned the squared standard error.",
    change={
        "(left.square().sum() / (len(x) - 2) / spread).sqrt()": (
            "left.square().sum() / (len(x) - 2) / spread"
        )
    },
)


@wrong(
    why=(
        "You fitted the losses and not their logarithms: differences at large losses count most, "
        "and the slope is another one."
    )
)
def in_linear_space(x, y, *, offset=0.0):
    n = len(x)
    u, v = x.log(), (y - offset).log()
    b = -((u - u.mean()) * (v - v.mean())).sum() / (u - u.mean()).square().sum()
    for _ in range(20):  # Gauss and Newton
        shape = x**-b
        a = (shape * (y - offset)).sum() / shape.square().sum()
        design = torch.stack([shape, -a * shape * u], dim=1)
        b = b + torch.linalg.lstsq(design, (y - offset - a * shape)[:, None]).solution[1, 0]
    a = (x**-b * (y - offset)).sum() / (x**-b).square().sum()
    left = y - offset - a * x**-b
    design = torch.stack([x**-b, -a * x**-b * u], dim=1)
    covariance = left.square().sum() / (n - 2) * torch.linalg.inv(design.T @ design)
    return a, b, covariance[1, 1].sqrt()
