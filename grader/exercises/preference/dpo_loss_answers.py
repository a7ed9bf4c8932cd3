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
        "No reference: that pushes the two answers apart whatever they were before, and nothing "
        "holds the model to what it knew."
    )
)
def no_reference(chosen, rejected, reference_chosen, reference_rejected, *, beta):
    return bradley_terry_loss(beta * chosen, beta * rejected)


@wrong(
    why=(
        "A gradient reaches the reference. It is the model as it was: were it trained too, it "
        "would run the other way."
    )
)
def reference_learns(chosen, rejected, reference_chosen, reference_rejected, *, beta):
    ours = chosen - rejected
    before = reference_chosen - reference_rejected
    return -F.logsigmoid(beta * (ours - before)).mean()


@wrong(why="β stands outside of the logarithm: there it scales the step and prices nothing.")
def beta_outside(chosen, rejected, reference_chosen, reference_rejected, *, beta):
    return beta * bradley_terry_loss(
        implicit_reward(chosen, reference_chosen, beta=1.0),
        implicit_reward(rejected, reference_rejected, beta=1.0),
    )


@wrong(
    why=(
        "log(σ(z)) is −∞ where σ(z) is too small for a number, and so is −log(1 + exp(−z)), whose "
        "exponential is then too large for one: one pair that is very wrong makes every weight NaN."
    ),
    corner=True,
)
def log_of_sigmoid(chosen, rejected, reference_chosen, reference_rejected, *, beta):
    before = (reference_chosen - reference_rejected).detach()
    return -torch.sigmoid(beta * (chosen - rejected - before)).log().mean()


@wrong(why="The references were crossed: each answer is held against the reference of the other.")
def references_crossed(chosen, rejected, reference_chosen, reference_rejected, *, beta):
    return bradley_terry_loss(
        implicit_reward(chosen, reference_rejected, beta=beta),
        implicit_reward(rejected, reference_chosen, beta=beta),
    )


wrong(
    "beta_forgotten_once",
    why="β is missing on the rejected answer's side: both rewards have the same price.",
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
