"""Right and wrong answers to `generative.log_posterior`."""

import torch

from grader.author.answers import right, wrong


@right
def shifted_by_the_largest(log_likelihood, log_prior):
    joint = log_likelihood + log_prior
    top = joint.max(dim=-1, keepdim=True).values
    return joint - top - (joint - top).exp().sum(dim=-1, keepdim=True).log()


@right
def class_after_class(log_likelihood, log_prior):
    joint = log_likelihood + log_prior
    total = joint[..., 0]
    for column in joint.unbind(-1)[1:]:
        total = torch.logaddexp(total, column)
    return joint - total.unsqueeze(-1)


wrong(
    "prior_forgotten",
    why=(
        "The prior is missing, as if all classes were equally common: a rare "
        "class then gets the benefit of every doubt."
    ),
    change={"log_likelihood + log_prior": "log_likelihood + 0 * log_prior"},
)


wrong(
    "not_normalized",
    why=(
        "This is the joint ln p(x, y). Its largest entry is at the right "
        "place, but the exponentials sum to p(x) and not to 1."
    ),
    change={"torch.log_softmax(log_likelihood + log_prior, dim=-1)": "log_likelihood + log_prior"},
)


wrong(
    "prior_after_normalizing",
    why=(
        "The likelihoods were normalized before the prior came in, so the "
        "result does not sum to 1; p(x) is a sum over likelihood *times* prior."
    ),
    change={
        "torch.log_softmax(log_likelihood + log_prior, dim=-1)": (
            "torch.log_softmax(log_likelihood, dim=-1) + log_prior"
        )
    },
)


wrong(
    "exponentials_first",
    why=(
        "The densities were computed and then divided; e to the −4000 is 0 for "
        "a computer, and 0/0 is not a number. Stay in logarithms."
    ),
    change={
        "torch.log_softmax(log_likelihood + log_prior, dim=-1)": (
            "(joint := (log_likelihood + log_prior).exp()).div(joint.sum(dim=-1, "
            "keepdim=True)).log()"
        )
    },
)


wrong(
    "probabilities",
    why=(
        "The probabilities came back instead of their logarithms; the small "
        "ones, which a loss is most interested in, are rounded to 0."
    ),
    change={"torch.log_softmax(": "torch.softmax("},
)


wrong(
    "over_the_batch",
    why=(
        "The first axis was normalized: the inputs now compete for a class, "
        "where the classes should compete for an input."
    ),
    change={"dim=-1": "dim=0"},
)


wrong(
    "infinity_replaced",
    why=(
        "`nan_to_num` put the most negative number there is in the place of −∞; an impossible "
        "class has the logarithm −∞, whose exponential is 0."
    ),
    change={
        "return torch.log_softmax(log_likelihood + log_prior, dim=-1)": (
            "return torch.nan_to_num(torch.log_softmax(log_likelihood + log_prior, dim=-1))"
        )
    },
    corner=True,
)


wrong(
    "clamped",
    why=(
        "A large negative number was put in the place of −∞; a log-likelihood may lie below it, "
        "and an impossible class has −∞ in the result."
    ),
    change={
        "log_likelihood + log_prior, dim": "(log_likelihood + log_prior).clamp(min=-1e30), dim"
    },
    corner=True,
)
