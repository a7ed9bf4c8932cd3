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
        "The offset is not subtracted: then y is no straight line in logarithms, and the slope "
        "comes out too flat."
    ),
    change={"(y - offset).log()": "y.log()"},
)


wrong(
    "offset_after_the_logarithm",
    why="The offset is taken from ln y; it is a loss, and belongs under the logarithm.",
    change={"(y - offset).log()": "y.log() - offset"},
)


wrong(
    "offset_added",
    why="The offset is added where it has to be taken away: y = offset + a x⁻ᵅ.",
    change={"(y - offset).log()": "(y + offset).log()"},
)


wrong(
    "slope_for_power",
    why="You returned the slope of the line; the law is x to −α, so α is the slope's opposite.",
    change={"-slope, (left": "slope, (left"},
)


wrong(
    "logarithm_of_a",
    why="You returned where the line meets ln x = 0: that is ln a, not a.",
    change={"start.exp(), -slope": "start, -slope"},
)


wrong(
    "one_axis_in_logarithms",
    why="Only y is in logarithms: that is a straight line for an exponential, a e⁻ᵅˣ.",
    change={"across, up = x.log(), ": "across, up = x, "},
)


wrong(
    "all_runs_count",
    why="The residuals are divided by n; a line takes two of the n with it, so n − 2 are left.",
    change={"(len(x) - 2)": "len(x)"},
)


wrong(
    "spread_of_the_residuals",
    why="You returned how far the losses lie from the line; the slope's error is that over the "
    "spread of ln x.",
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
    why="You fitted the losses and not their logarithms: steps of the largest loss count most, and "
    "the slope is another one."
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
