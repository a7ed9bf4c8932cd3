"""Right and wrong answers to `generative.fill_in`."""

import torch

from grader.author.answers import right, wrong


@right
def written_over_where_observed(input, log_posterior, mean, *, observed):
    weights = torch.exp(log_posterior).unsqueeze(-1)  # (..., C, 1)
    filled = (weights * mean).sum(dim=-2)
    mask = observed.expand_as(filled)
    filled[mask] = input.expand_as(filled)[mask]
    return filled


@right
def two_masked_parts_added(input, log_posterior, mean, *, observed):
    expected = torch.einsum("...c,cd->...d", log_posterior.exp(), mean)
    return input.masked_fill(~observed, 0.0) + expected.masked_fill(observed, 0.0)


wrong(
    "best_class_alone",
    why=(
        "The mean of the most probable class was filled in. It is the "
        "likeliest story, not the expectation: where two classes are equally "
        "probable, the answer with the least squared error lies between them."
    ),
    change={"log_posterior.exp() @ mean": "mean[log_posterior.argmax(dim=-1)]"},
)


wrong(
    "classes_count_alike",
    why=("The plain mean of all class means was filled in; what is seen has told nothing."),
    change={"log_posterior.exp() @ mean": "torch.ones_like(log_posterior) / len(mean) @ mean"},
)


wrong(
    "logarithms_as_weights",
    why=(
        "The weights of a mean are probabilities; these are their logarithms, "
        "negative numbers that do not sum to 1."
    ),
    change={"log_posterior.exp()": "log_posterior"},
)


wrong(
    "gaps_known_by_nan",
    why=(
        "The gaps were looked for in the input, as NaN; where a feature was "
        "not observed the input may hold anything, and only `observed` says "
        "where that is."
    ),
    change={
        "torch.where(observed, input, expected)": ("torch.where(input.isnan(), expected, input)")
    },
)


wrong(
    "observed_overwritten",
    why=("The whole input was replaced by its expectation; what has been seen is known and stays."),
    change={"torch.where(observed, input, expected)": "expected + 0 * observed"},
)


wrong(
    "mask_inverted",
    why=("The observed features were replaced and the missing ones kept; True means seen."),
    change={"torch.where(observed, input, expected)": "torch.where(observed, expected, input)"},
)


wrong(
    "added_up_with_the_mask",
    why=(
        "The parts were multiplied by the mask and added; where the input is "
        "NaN because nothing is known, 0 · NaN is NaN. `torch.where` picks and "
        "does not compute."
    ),
    change={"torch.where(observed, input, expected)": "observed * input + ~observed * expected"},
    corner=True,
)


wrong(
    "numbers_put_in_for_infinity",
    why=(
        "`nan_to_num` puts numbers in the place of ∞ and NaN where they were observed, too; "
        "observed features are as they were. `torch.where` chooses without a product."
    ),
    change={
        "torch.where(observed, input, expected)": (
            "observed * torch.nan_to_num(input) + ~observed * expected"
        )
    },
    corner=True,
)
