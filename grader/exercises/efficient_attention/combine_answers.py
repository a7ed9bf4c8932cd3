"""Right and wrong answers to `efficient_attention.combine`."""

import torch

from grader.author.answers import right, wrong


@right
def said_twice(first, second):
    f_1, x_1 = first
    f_2, x_2 = second
    return f_2 * f_1, f_2 * x_1 + x_2


@right
def what_it_does_to_zero_and_one(first, second):
    def both(h):
        return second[0] * (first[0] * h + first[1]) + second[1]

    return torch.mul(first[0], second[0]), both(torch.zeros_like(first[0]))


wrong(
    "the_other_way_around",
    why=(
        "You took the second step first. The order of the factors does not matter, that of the "
        "summands does: the earlier input has decayed more."
    ),
    change={"second[0] * first[1] + second[1]": "first[0] * second[1] + first[1]"},
)


wrong(
    "summands_added",
    why=(
        "You added the summands; the first step's summand must be multiplied by the second step's "
        "factor."
    ),
    change={"second[0] * first[1] + second[1]": "first[1] + second[1]"},
)


wrong(
    "both_decayed",
    why="The second step's summand is added after its factor, and is not multiplied by it.",
    change={"second[0] * first[1] + second[1]": "second[0] * (first[1] + second[1])"},
)


wrong(
    "first_decays_itself",
    why=(
        "You multiplied the first summand by its own step's factor; the next step's factor "
        "multiplies it."
    ),
    change={"second[0] * first[1] + second[1]": "first[0] * first[1] + second[1]"},
)


wrong(
    "factors_added",
    why="Factors of consecutive steps multiply; you added them.",
    change={"first[0] * second[0]": "first[0] + second[0]"},
)


wrong(
    "cut_off",
    why=(
        "The values are right, but no gradient flows: training needs gradients through "
        "every combination (no detach(), .data or torch.no_grad())."
    ),
    change={
        "return first[0] * second[0], second[0] * first[1] + second[1]": (
            "return (first[0] * second[0]).detach(), (second[0] * first[1] + second[1]).detach()"
        )
    },
)


wrong(
    "factor_of_the_second",
    why="You dropped the factor of the first step: both steps' factors shrink the earlier state.",
    change={"return first[0] * second[0]": "return second[0]"},
)
