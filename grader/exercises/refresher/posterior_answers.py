"""Right and wrong answers to `refresher.posterior`."""

import torch

from grader.author.answers import right, wrong


@right
def evidence_by_product(prior, likelihood):
    evidence = likelihood @ prior
    return likelihood * prior / evidence.unsqueeze(-1)


@right
def softmax_of_logarithms(prior, likelihood):
    return torch.softmax(prior.log() + likelihood.log(), dim=-1)


wrong(
    "not_normalized",
    why=(
        "p(c) p(x | c) is the joint probability; divided by its sum over the classes, p(x), it "
        "becomes p(c | x)."
    ),
    change={"joint / joint.sum(dim=-1, keepdim=True)": "joint"},
)


wrong(
    "prior_ignored",
    why=(
        "The prior was left out, as if all classes were equally frequent: a rare class then looks "
        "far too probable."
    ),
    change={"prior * likelihood": "likelihood + 0 * prior"},
)


wrong(
    "normalized_over_observations",
    why=(
        "The sum ran over the observations; for each observation the classes compete, so each row "
        "sums to 1."
    ),
    change={"dim=-1": "dim=0"},
)


wrong(
    "normalized_over_all",
    why="Everything was divided by one sum over all observations; each row has its own sum.",
    change={"joint.sum(dim=-1, keepdim=True)": "joint.sum()"},
)


wrong(
    "divided_by_the_likelihood",
    why=(
        "The sum was taken over the likelihoods alone; the evidence p(x) weights each of them by "
        "its prior."
    ),
    change={"joint.sum(dim=-1, keepdim=True)": "likelihood.sum(dim=-1, keepdim=True)"},
)


wrong(
    "softmax_of_the_products",
    why=(
        "The softmax exponentiates its input, which is right for logarithms; probabilities are "
        "divided by their sum."
    ),
    change={
        "joint / joint.sum(dim=-1, keepdim=True)": (
            "joint.exp() / joint.exp().sum(dim=-1, keepdim=True)"
        )
    },
)


wrong(
    "added",
    why=(
        "Prior and likelihood were added; both have to happen, so they are multiplied (their "
        "logarithms are added)."
    ),
    change={"prior * likelihood": "prior + likelihood"},
)


wrong(
    "a_small_number_in_the_sum",
    why=(
        "A small number was added to the sum, so that nothing is divided by 0: where all densities "
        "are small, as those of pictures are, it is larger than they are, and the row sums to "
        "less than 1."
    ),
    change={"joint.sum(dim=-1, keepdim=True)": "(joint.sum(dim=-1, keepdim=True) + 1e-12)"},
    corner=True,
)
