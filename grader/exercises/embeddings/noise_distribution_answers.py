"""Right and wrong answers to `embeddings.noise_distribution`."""

import torch

from grader.author.answers import right, wrong


@right
def power_of_the_shares(counts, *, power=0.75):
    share = counts.to(torch.float64) / counts.sum()
    return share.pow(power) / share.pow(power).sum()


@right
def softmax_of_logarithms(counts, *, power=0.75):
    logits = power * counts.double().log() if power else torch.zeros(len(counts)).double()
    return (logits - torch.logsumexp(logits, dim=0)).exp()


wrong(
    "power_last",
    why=("The power was applied after dividing by the sum, so the results no longer sum to 1."),
    change={
        "weights = counts.double() ** power": "weights = counts.double()",
        "weights / weights.sum()": "(weights / weights.sum()) ** power",
    },
)


wrong(
    "no_power",
    why=("These are the shares of the text; a power below 1 gives rare words more of the draws."),
    change={"counts.double() ** power": "counts.double()"},
)


wrong(
    "not_normalized",
    why="These are weights; probabilities sum to 1.",
    change={"weights / weights.sum()": "weights"},
)


wrong(
    "softmax",
    why=(
        "A softmax takes exponentials of the counts: the most frequent word "
        "gets all of the probability."
    ),
    change={"weights / weights.sum()": "torch.softmax(weights, dim=0)"},
)


wrong(
    "counts_changed",
    why=(
        "The counts themselves were changed: `.double()` does not copy a tensor that is float64 "
        "already, so an operation in place writes into the caller's tensor."
    ),
    change={"weights = counts.double() ** power": "weights = counts.double().pow_(power)"},
    corner=True,
)
