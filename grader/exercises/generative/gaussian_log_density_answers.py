"""Right and wrong answers to `generative.gaussian_log_density`."""

import torch

from grader.author.answers import equivalent, right, wrong


@right
def with_normals_of_torch(input, mean, variance, *, observed=None):
    variance = variance.expand_as(mean)
    if observed is not None:
        input = input.masked_fill(~observed, 0.0)
    columns = []
    for m, s in zip(mean, variance):
        log = torch.distributions.Normal(m, s.sqrt(), validate_args=False).log_prob(input)
        if observed is not None:
            log = log.masked_fill(~observed, 0.0)
        columns.append(log.sum(dim=-1))
    return torch.stack(columns, dim=-1)


@right
def with_a_mask_of_ones(input, mean, variance, *, observed=None):
    seen = torch.ones_like(input)
    if observed is not None:
        seen = observed.to(input.dtype).expand_as(input)
        input = input.masked_fill(seen == 0, 0.0)
    variance = variance.expand_as(mean)
    gap = (input[..., None, :] - mean) / variance.sqrt()
    distance = torch.einsum("...cd,...d->...c", gap * gap, seen)
    return -(distance + seen @ torch.log(variance * 6.283185307179586).T) / 2


wrong(
    "variance_taken_for_deviation",
    why=(
        "The distance was divided by s² instead of s: `variance` is the square "
        "of the deviation already."
    ),
    change={".square() / variance": ".square() / variance.square()"},
)


wrong(
    "normal_of_the_variance",
    why=(
        "The variance went where a deviation belongs, as in `Normal(mean, "
        "variance)`; s is its square already, so each width comes out squared, "
        "also in the normalizer."
    ),
    change={
        ".square() / variance": ".square() / variance.square()",
        "2 * torch.pi * variance": "2 * torch.pi * variance.square()",
    },
)


wrong(
    "no_normalizer",
    why=(
        "Without ln(2π s) a wide Gaussian costs nothing: it is never far from "
        "anything, and the class with the largest variances wins everywhere."
    ),
    change={"squares + (2 * torch.pi * variance).log()": "squares + 0 * variance"},
)


wrong(
    "two_pi_forgotten",
    why=(
        "The 2π is missing. Between classes it cancels, so the predictions "
        "stay the same; but the result is no density any more, it does not "
        "integrate to 1."
    ),
    change={"2 * torch.pi * variance": "variance"},
)


wrong(
    "log_of_variance_not_halved",
    why=(
        "The factor in front of a Gaussian is 1/√(2πs), whose logarithm is −½ "
        "ln(2πs); the ½ belongs to both terms."
    ),
    change={
        "-0.5 * (squares + (2 * torch.pi * variance).log())": (
            "-0.5 * squares - (2 * torch.pi * variance).log()"
        )
    },
)


wrong(
    "multiplied_then_logged",
    why=(
        "The densities were multiplied and the logarithm was taken at the end. "
        "The product leaves the range of floating-point numbers long before "
        "its logarithm does: add logarithms instead."
    ),
    change={"return terms.sum(dim=-1)": "return terms.exp().prod(dim=-1).log()"},
)


wrong(
    "mean_over_features",
    why=(
        "The log densities of the features were averaged; the density of all "
        "of them together is a product, hence a sum of logarithms."
    ),
    change={"return terms.sum(dim=-1)": "return terms.mean(dim=-1)"},
)


wrong(
    "missing_means_zero",
    why=(
        "A missing feature was taken to be 0. Zero is a value like any other, "
        "and may be very improbable; what was not seen leaves the sum."
    ),
    change={
        "terms = torch.where(observed.unsqueeze(-2), terms, 0.0)": (
            "return gaussian_log_density(torch.where(observed, input, 0.0), mean, variance)"
        )
    },
)


wrong(
    "normalizer_of_the_missing",
    why=(
        "A missing feature lost its distance but kept its ln(2πs); its whole "
        "factor integrates to 1, so all of it leaves the sum."
    ),
    change={
        "terms = -0.5": (
            "squares = squares if observed is None else "
            "torch.where(observed.unsqueeze(-2), squares, 0.0); terms = -0.5"
        ),
        "terms = torch.where(observed.unsqueeze(-2), terms, 0.0)": "pass",
    },
)


wrong(
    "multiplied_by_the_mask",
    why=(
        "The terms were multiplied by the mask; where a missing feature holds "
        "NaN, 0 · NaN is NaN. `torch.where` picks and does not compute."
    ),
    change={
        "input = torch.where(observed, input, 0.0)": "pass",
        "torch.where(observed.unsqueeze(-2), terms, 0.0)": "terms * observed.unsqueeze(-2)",
    },
    corner=True,
)


wrong(
    "mask_inverted",
    why="The features that were observed are left out; True means seen.",
    change={"observed.unsqueeze(-2), terms, 0.0": "~observed.unsqueeze(-2), terms, 0.0"},
)


wrong(
    "nan_in_the_gradient",
    why=(
        "The terms of missing features are taken out after the computation: their values are gone, "
        "but where the input holds NaN the gradients of mean and variance are NaN. Put a number "
        "there first."
    ),
    change={"input = torch.where(observed, input, 0.0)": "pass"},
    corner=True,
)


equivalent(
    "input = torch.where(observed, input, 1.0)",
    why="what stands in a gap is left out of the sum; any number will do",
)


wrong(
    "variance_clamped",
    why=(
        "Small variances were raised to a least one. Any variance above 0 is allowed, and how "
        "small one is depends on the units of its feature."
    ),
    change={"/ variance": "/ variance.clamp(min=1e-12)"},
    corner=True,
)


wrong(
    "nan_left_out_unasked",
    why=(
        "You left out NaN without being asked. Without `observed` every feature counts, so a NaN "
        "in the input shows in the result."
    ),
    change={
        "        input = torch.where(observed, input, 0.0)": (
            "        input = torch.where(observed, input, 0.0)\n"
            "    else:\n"
            "        observed = ~input.isnan()\n"
            "        input = input.nan_to_num()"
        )
    },
    corner=True,
)
