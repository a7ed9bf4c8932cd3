"""Right and wrong answers to `generative.bernoulli_linear_form`."""

import torch

from grader.author.answers import right, wrong


@right
def logit_of_torch(log_prior, probability):
    return torch.logit(probability), log_prior + (1 - probability).log().sum(dim=1)


@right
def softplus_of_the_logits(log_prior, probability):
    weight = torch.log(probability / (1 - probability))
    bias = log_prior - torch.nn.functional.softplus(weight).sum(dim=1)
    return weight, bias


wrong(
    "log_probability_as_weight",
    why=(
        "ln p is what a 1 gains, but the bias has already counted this feature "
        "as a 0; the weight is the difference, ln p − ln(1 − p)."
    ),
    change={"probability.log() - no": "probability.log() + 0 * no"},
)


wrong(
    "odds_upside_down",
    why=(
        "The weight is ln(1 − p) − ln p here; it should say what a 1 gains "
        "over a 0, and with this sign ink where a class has ink speaks against "
        "it."
    ),
    change={"probability.log() - no": "no - probability.log()"},
)


wrong(
    "prior_forgotten",
    why=(
        "The bias is missing ln p(c): the score of a blank input is the prior times the "
        "probability that every coin shows 0."
    ),
    change={"log_prior + no": "0 * log_prior + no"},
)


wrong(
    "prior_alone",
    why=(
        "The bias is the prior alone; an input of zeros then scores the same "
        "in every class, though zeros are evidence."
    ),
    change={"log_prior + no.sum(dim=-1)": "log_prior + 0 * no.sum(dim=-1)"},
)


wrong(
    "ones_in_the_bias",
    why=("The bias is the score when every feature is 0, so it sums ln(1 − p), not ln p."),
    change={"log_prior + no.sum(dim=-1)": "log_prior + probability.log().sum(dim=-1)"},
)


wrong(
    "odds_without_logarithm",
    why=(
        "The weight is the logarithm of the odds p / (1 − p); the odds "
        "themselves are never negative, so nothing could speak against a class."
    ),
    change={"probability.log() - no": "probability / no.exp()"},
)


wrong(
    "logarithm_of_a_product",
    why=(
        "The probabilities of all coins were multiplied before the logarithm; two thousand of them "
        "are 0 in floating point. The sum of the logarithms is not."
    ),
    change={
        "log_prior + no.sum(dim=-1)": "log_prior + (1 - probability).prod(dim=-1).log()",
    },
)
