"""Right and wrong answers to `preference.bradley_terry_loss`."""

import torch
from torch.nn import functional as F

from grader.author.answers import right, wrong


@right
def by_softplus(chosen, rejected):
    return F.softplus(rejected - chosen).mean()


@right
def as_two_classes(chosen, rejected):
    both = torch.stack([chosen, rejected], dim=1)
    return -both.log_softmax(dim=1)[:, 0].mean()


@right
def by_binary_cross_entropy(chosen, rejected):
    ones = torch.ones_like(chosen)
    return F.binary_cross_entropy_with_logits(chosen - rejected, ones)


wrong(
    "swapped",
    why="Chosen and rejected are swapped: the model learns to prefer what people did not.",
    change={"chosen - rejected": "rejected - chosen"},
)


wrong(
    "log_of_sigmoid",
    why=(
        "log(σ(z)) is −∞ if σ(z) is too small to represent, and so is −log(1 + exp(−z)), in which "
        "the exponential overflows; the gradient is NaN. One pair in a very wrong order ends the "
        "training. Use logsigmoid."
    ),
    change={"F.logsigmoid(chosen - rejected)": "torch.sigmoid(chosen - rejected).log()"},
)


wrong(
    "sigmoid",
    why=(
        "You used the probability instead of its logarithm: the gradient vanishes where the order "
        "is very wrong."
    ),
    change={"F.logsigmoid": "torch.sigmoid"},
)


wrong(
    "sign",
    why="The sign is missing: minimizing this makes the preferred answers less likely.",
    change={"-F.log": "F.log"},
)


wrong(
    "summed",
    why="This is the sum over pairs; return the mean, or the step grows with the batch.",
    change={".mean()": ".sum()"},
)


wrong(
    "difference_of_means",
    why="You averaged the scores before the comparison; compare each pair separately.",
    change={
        "F.logsigmoid(chosen - rejected).mean()": "F.logsigmoid(chosen.mean() - rejected.mean())"
    },
)


wrong(
    "margin_alone",
    why=(
        "You maximized the difference itself: it has no limit, and pairs already in order count as "
        "much as others."
    ),
    change={"F.logsigmoid(chosen - rejected)": "(chosen - rejected)"},
)


wrong(
    "hinge",
    why="This is a hinge loss; Bradley and Terry's model of the choice is logistic.",
    change={"-F.logsigmoid(chosen - rejected)": "F.relu(1 - (chosen - rejected))"},
)
