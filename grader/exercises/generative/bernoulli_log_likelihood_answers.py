"""Right and wrong answers to `generative.bernoulli_log_likelihood`."""

import torch

from grader.author.answers import right, wrong


@right
def logarithm_of_what_is_seen(input, probability, *, observed=None):
    yes = (input == 1).unsqueeze(-2)  # (..., 1, D)
    no = ~yes
    if observed is not None:
        yes, no = yes & observed.unsqueeze(-2), no & observed.unsqueeze(-2)
    log = torch.where(yes, probability, 1.0).log() + torch.where(no, 1 - probability, 1.0).log()
    return log.sum(dim=-1)


@right
def class_by_class(input, probability, *, observed=None):
    columns = []
    for p in probability:
        likely = input * p + (1 - input) * (1 - p)
        if observed is not None:
            likely = likely.masked_fill(~observed, 1.0)
        columns.append(torch.log(likely).sum(dim=-1))
    return torch.stack(columns, dim=-1)


wrong(
    "zeros_say_nothing",
    why=(
        "Only the ones were counted; that a pixel is white is evidence too, "
        "and without it the class with the most ink always wins."
    ),
    change={"probability, 1 - probability)": "probability, 1.0)"},
)


wrong(
    "zero_times_infinity",
    why=(
        "Where a probability is 0 and the feature is 0, x ln p is 0 · (−∞), "
        "which is NaN; what was certain and did happen costs nothing."
    ),
    change={
        "torch.where(shows, probability, 1 - probability)": (
            "(shows * probability.log() + ~shows * (1 - probability).log()).exp()"
        )
    },
)


wrong(
    "clamped",
    why=(
        "The probabilities were kept away from 0 and 1. That hides a model "
        "that calls something impossible, and makes up evidence; smoothing "
        "belongs into the fit."
    ),
    change={"shows = input": "probability = probability.clamp(1e-6, 1 - 1e-6)\n    shows = input"},
)


wrong(
    "cross_entropy_of_torch",
    why=(
        "`binary_cross_entropy` cuts every logarithm off at −100, so that "
        "training goes on; what is impossible comes out as merely improbable."
    ),
    change={
        "torch.where(shows, probability, 1 - probability)": (
            "(-nn.functional.binary_cross_entropy(*torch.broadcast_tensors(probability, "
            'shows.to(probability.dtype)), reduction="none")).exp()'
        )
    },
)


wrong(
    "bernoulli_of_torch",
    why=(
        "`torch.distributions.Bernoulli` moves probabilities of 0 and 1 a "
        "little inwards, so what is impossible comes out as merely improbable."
    ),
    change={
        "torch.where(shows, probability, 1 - probability)": (
            "torch.distributions.Bernoulli(probability).log_prob(shows.to(input.dtype)).exp()"
        )
    },
)


wrong(
    "multiplied_then_logged",
    why=(
        "The probabilities were multiplied first; with a few thousand coins "
        "the product is 0 for a computer. Add logarithms."
    ),
    change={"chance.log().sum(dim=-1)": "chance.prod(dim=-1).log()"},
)


wrong(
    "mean_over_features",
    why=("The logarithms were averaged; independent coins multiply, so their logarithms add up."),
    change={"chance.log().sum(dim=-1)": "chance.log().mean(dim=-1)"},
)


wrong(
    "missing_means_zero",
    why=("A missing feature was taken for a 0, which is an observation; leave it out of the sum."),
    change={
        "chance = torch.where(observed.unsqueeze(-2), chance, 1.0)": (
            "return bernoulli_log_likelihood(torch.where(observed, input, 0.0), probability)"
        )
    },
)


wrong(
    "multiplied_by_the_mask",
    why=(
        "The terms were multiplied by the mask; where a missing feature would "
        "be impossible, 0 · (−∞) is NaN. `torch.where` picks and does not "
        "compute."
    ),
    change={
        "chance = torch.where(observed.unsqueeze(-2), chance, 1.0)": (
            "return (chance.log() * observed.unsqueeze(-2)).sum(dim=-1)"
        )
    },
    corner=True,
)


wrong(
    "mask_inverted",
    why="The features that were observed are left out; True means seen.",
    change={"observed.unsqueeze(-2), chance": "~observed.unsqueeze(-2), chance"},
)


@wrong(
    why=(
        "The values are right, but not the gradients at probabilities of 0 and 1: that of x ln p "
        "is x / p, which is 0/0 there. Choose the probability first, then take one logarithm."
    ),
    corner=True,
)
def zero_over_zero_in_the_gradient(input, probability, *, observed=None):
    input = input.unsqueeze(-2)
    terms = torch.xlogy(input, probability) + torch.special.xlog1py(1 - input, -probability)
    if observed is not None:
        terms = torch.where(observed.unsqueeze(-2), terms, 0.0)
    return terms.sum(dim=-1)
