"""Right and wrong answers to `diffusion.guided`."""

import torch

from grader.author.answers import right, wrong


@right
def weighted_sum(conditional, unconditional, weight):
    return weight * conditional + (1 - weight) * unconditional


@right
def interpolated(conditional, unconditional, weight):
    return torch.lerp(unconditional, conditional, float(weight))


wrong(
    "weight_of_the_paper",
    why=(
        "With (1 + w) and −w, weight 0 uses the label as learned, as in Ho and Salimans. Here that "
        "is weight 1, and 0 ignores the label: check which of the two a program uses."
    ),
    change={"unconditional + weight": "conditional + weight"},
)


wrong(
    "predictions_swapped",
    why="The two are swapped: a larger weight leads away from the label.",
    change={
        "unconditional + weight * (conditional - unconditional)": (
            "conditional + weight * (unconditional - conditional)"
        )
    },
)


wrong(
    "difference_alone",
    why="This is only the difference that the label makes; it has to be added to a prediction.",
    change={"unconditional + weight * (conditional": "weight * (conditional"},
)


wrong(
    "label_on_top",
    why=(
        "You weighted the whole prediction with a label; weight the difference between the two "
        "predictions."
    ),
    change={"weight * (conditional - unconditional)": "weight * conditional"},
)


wrong(
    "mean_of_both",
    why="The weights w/2 and ½ do not sum to 1, so the size of a prediction changes with w.",
    change={
        "unconditional + weight * (conditional - unconditional)": (
            "(weight * conditional + unconditional) / 2"
        )
    },
)


wrong(
    "no_extrapolation",
    why="The weight is cut to at most 1; guidance goes past the prediction with a label.",
    change={"weight * (cond": "min(weight, 1.0) * (cond"},
)
