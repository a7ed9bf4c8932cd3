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
        "The second step was taken first. Factors do not mind the order, summands do: what came in "
        "earlier has decayed more."
    ),
    change={"second[0] * first[1] + second[1]": "first[0] * second[1] + first[1]"},
)


wrong(
    "summands_added",
    why=(
        "The summands were added; what the first step brought in still goes through the "
        "factor of the second."
    ),
    change={"second[0] * first[1] + second[1]": "first[1] + second[1]"},
)


wrong(
    "both_decayed",
    why="The second step's summand comes in after its factor, and is not multiplied by it.",
    change={"second[0] * first[1] + second[1]": "second[0] * (first[1] + second[1])"},
)


wrong(
    "first_decays_itself",
    why=(
        "The first summand was multiplied by its own step's factor; it is the next one "
        "that shrinks it."
    ),
    change={"second[0] * first[1] + second[1]": "first[0] * first[1] + second[1]"},
)


wrong(
    "factors_added",
    why="Two factors in a row multiply; you added them.",
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
    why="The factor of the first step was dropped: both steps shrink what was there before.",
    change={"return first[0] * second[0]": "return second[0]"},
)
