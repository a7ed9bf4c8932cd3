"""Right and wrong answers to `generative.log_evidence`."""

import torch

from grader.author.answers import right, wrong


@right
def shifted_by_the_largest(log_likelihood, log_prior):
    joint = log_likelihood + log_prior
    top = joint.max(dim=-1).values
    top = top.masked_fill(top.isneginf(), 0.0)  # −∞ − (−∞) is not a number
    return top + (joint - top[..., None]).exp().sum(dim=-1).log()


@right
def class_after_class(log_likelihood, log_prior):
    total = log_likelihood[..., 0] + log_prior[0]
    for c in range(1, len(log_prior)):
        total = torch.logaddexp(total, log_likelihood[..., c] + log_prior[c])
    return total


wrong(
    "prior_forgotten",
    why=(
        "The likelihoods were summed without their priors; a mixture weighs "
        "each class by how common it is, and without weights it integrates to "
        "C."
    ),
    change={"log_likelihood + log_prior": "log_likelihood + 0 * log_prior"},
)


wrong(
    "classes_averaged",
    why=("The result was divided by the number of classes; the priors sum to 1 already."),
    change={
        "torch.logsumexp(log_likelihood + log_prior, dim=-1)": (
            "torch.logsumexp(log_likelihood + log_prior, dim=-1) - "
            "torch.tensor(float(len(log_prior))).double().log()"
        )
    },
)


wrong(
    "best_class_alone",
    why=(
        "Only the most probable class was kept; an input may come from any of "
        "them, and the chances add up."
    ),
    change={
        "torch.logsumexp(log_likelihood + log_prior, dim=-1)": (
            "(log_likelihood + log_prior).amax(dim=-1)"
        )
    },
)


wrong(
    "logarithms_averaged",
    why=(
        "The logarithms were averaged with the priors as weights; the "
        "logarithm of a mean is not the mean of logarithms, and one impossible "
        "class would make it −∞."
    ),
    change={
        "torch.logsumexp(log_likelihood + log_prior, dim=-1)": (
            "(log_likelihood * log_prior.exp()).sum(dim=-1)"
        )
    },
)


wrong(
    "exponentials_first",
    why=(
        "The densities were added as they are; e to the −4000 is 0 and e to "
        "the 900 is ∞ for a computer. Take the largest logarithm out of the "
        "sum first."
    ),
    change={
        "torch.logsumexp(log_likelihood + log_prior, dim=-1)": (
            "(log_likelihood + log_prior).exp().sum(dim=-1).log()"
        )
    },
)


wrong(
    "clamped",
    why=(
        "A large negative number was put in the place of −∞; a log-likelihood may lie below it. "
        "−∞ itself needs care only where all classes have it."
    ),
    change={
        "log_likelihood + log_prior, dim": "(log_likelihood + log_prior).clamp(min=-1e30), dim"
    },
    corner=True,
)
