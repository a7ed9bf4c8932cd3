"""Right and wrong answers to `preference.dpo_loss`."""

import torch
from torch.nn import functional as F

from grader.author.answers import right, wrong
from solutions.preference import bradley_terry_loss, implicit_reward


@right
def by_the_difference_of_margins(chosen, rejected, reference_chosen, reference_rejected, *, beta):
    with torch.no_grad():
        before = reference_chosen - reference_rejected
    return F.softplus(-beta * (chosen - rejected - before)).mean()


@right
def as_two_classes(chosen, rejected, reference_chosen, reference_rejected, *, beta):
    ours = torch.stack([chosen, rejected])
    before = torch.stack([reference_chosen, reference_rejected]).detach()
    return -(beta * (ours - before)).log_softmax(dim=0)[0].mean()


@wrong(why="Chosen and rejected are swapped: the model learns to write what was rejected.")
def swapped(chosen, rejected, reference_chosen, reference_rejected, *, beta):
    return bradley_terry_loss(
        implicit_reward(rejected, reference_rejected, beta=beta),
        implicit_reward(chosen, reference_chosen, beta=beta),
    )


@wrong(
    why=(
        "The reference is missing: the loss pushes the two answers apart, whatever their "
        "probabilities were before, and nothing keeps the model close to what it knew."
    )
)
def no_reference(chosen, rejected, reference_chosen, reference_rejected, *, beta):
    return bradley_terry_loss(beta * chosen, beta * rejected)


@wrong(
    why=(
        "A gradient reaches the reference. It must stay fixed: trained, it would move in the "
        "opposite direction."
    )
)
def reference_learns(chosen, rejected, reference_chosen, reference_rejected, *, beta):
    ours = chosen - rejected
    before = reference_chosen - reference_rejected
    return -F.logsigmoid(beta * (ours - before)).mean()


@wrong(
    why=(
        "β stands outside the logarithm, where it only scales the step; multiply the margin by it."
    )
)
def beta_outside(chosen, rejected, reference_chosen, reference_rejected, *, beta):
    return beta * bradley_terry_loss(
        implicit_reward(chosen, reference_chosen, beta=1.0),
        implicit_reward(rejected, reference_rejected, beta=1.0),
    )


@wrong(
    why=(
        "log(σ(z)) is −∞ if σ(z) is too small to represent, and so is −log(1 + exp(−z)), in which "
        "the exponential overflows: one pair in a very wrong order makes every weight NaN."
    ),
    corner=True,
)
def log_of_sigmoid(chosen, rejected, reference_chosen, reference_rejected, *, beta):
    before = (reference_chosen - reference_rejected).detach()
    return -torch.sigmoid(beta * (chosen - rejected - before)).log().mean()


@wrong(
    why=("You swapped the references: each answer is compared with the reference of the other one.")
)
def references_crossed(chosen, rejected, reference_chosen, reference_rejected, *, beta):
    return bradley_terry_loss(
        implicit_reward(chosen, reference_rejected, beta=beta),
        implicit_reward(rejected, reference_chosen, beta=beta),
    )


wrong(
    "beta_forgotten_once",
    why="β is missing on the rejected answer's side; both rewards need it.",
    change={
        "implicit_reward(rejected, reference_rejected, beta=beta)": (
            "implicit_reward(rejected, reference_rejected, beta=1.0)"
        )
    },
)


@wrong(why="This is the sum over pairs; return the mean.")
def summed(chosen, rejected, reference_chosen, reference_rejected, *, beta):
    before = (reference_chosen - reference_rejected).detach()
    return -F.logsigmoid(beta * (chosen - rejected - before)).sum()
