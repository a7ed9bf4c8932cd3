"""Right and wrong answers to `preference.kl_estimates`."""

import torch

from grader.author.answers import right, wrong


@right
def from_the_quotient(log_probs, reference):
    s = (reference - log_probs).exp()
    k1 = log_probs - reference
    return k1, 0.5 * k1**2, s - 1 + k1


@right
def with_expm1(log_probs, reference):
    ahead = log_probs - reference
    return ahead, ahead * ahead / 2, torch.expm1(-ahead) + ahead


wrong(
    "direction",
    why=(
        "ln s has the wrong sign: these estimate the divergence of the reference from the model, "
        "with samples that came from the model."
    ),
    change={"difference = reference - log_probs": "difference = log_probs - reference"},
)


wrong(
    "k1_sign",
    why="k1 is −ln s = ln π − ln π₀: on average it is positive.",
    change={"return -difference,": "return difference,"},
)


wrong(
    "k1_absolute",
    why=(
        "The absolute value does not estimate the divergence: k1's mean is right because k1 "
        "may be negative."
    ),
    change={"return -difference,": "return difference.abs(),"},
)


wrong(
    "k2_without_half",
    why="The half is missing: near the reference, the divergence is half the mean square.",
    change={"difference.square() / 2": "difference.square()"},
)


wrong(
    "k3_upside_down",
    why=(
        "k3 was computed from π / π₀: with samples from π its mean is not the divergence, and "
        "far away it explodes. s is π₀ / π."
    ),
    change={"torch.expm1(difference) - difference": "(-difference).exp() - 1 + difference"},
)


wrong(
    "k3_plus",
    why="The logarithm is subtracted: s − 1 − ln s, which is 0 at s = 1 and positive elsewhere.",
    change={"torch.expm1(difference) - difference": "difference.exp() - 1 + difference"},
)


wrong(
    "k3_without_one",
    why="The 1 is missing: where the models agree, this says 1.",
    change={"torch.expm1(difference) - difference": "difference.exp() - difference"},
)


wrong(
    "k3_without_its_correction",
    why="s − 1 alone is 0 on average, whatever the models are; −ln s measures the divergence.",
    change={"torch.expm1(difference) - difference": "difference.exp() - 1"},
)


wrong(
    "reference_stopped",
    why="Detach nothing here: the estimates are functions of both; the caller decides.",
    change={"reference - log_probs": "reference.detach() - log_probs"},
)


wrong(
    "another_order",
    why="Return k1, k2 and k3 in this order.",
    change={
        "return -difference, difference.square() / 2, torch.expm1(difference) - difference": (
            "return -difference, difference.exp() - 1 - difference, difference.square() / 2"
        )
    },
)
