"""Right and wrong answers to `linear.hinge_loss`."""

import torch

from grader.author.answers import right, wrong


@right
def right_class_out_of_the_race(input, target, *, margin=1.0):
    if input.ndim != 2 or target.shape != input.shape[:1]:
        raise ValueError("one label for each row")
    rows = torch.arange(len(target))
    rivals = input.clone()
    rivals[rows, target] = -float("inf")
    lead = input[rows, target] - rivals.max(dim=1).values
    return torch.relu(margin - lead).mean()


@right
def example_by_example(input, target, *, margin=1.0):
    if input.ndim != 2 or target.shape != input.shape[:1]:
        raise ValueError("one label for each row")
    total = 0.0
    for scores, label in zip(input, target.tolist()):
        rivals = torch.cat([scores[:label], scores[label + 1 :]])
        total = total + torch.clamp(rivals.max() - scores[label] + margin, min=0)
    return total / input.shape[0]


wrong(
    "no_margin",
    why=(
        "Without a margin this is the perceptron's loss: zero as soon as the right class is "
        "ahead at all, and zero for zero weights, where training would stay."
    ),
    change={"margin * wrong": "0 * margin"},
)


wrong(
    "right_class_as_its_own_rival",
    why=(
        "The margin was added to the right class too, so it has to beat "
        "itself: no loss ever falls below the margin."
    ),
    change={"margin * wrong": "margin"},
)


wrong(
    "sum_over_rivals",
    why=(
        "Every rival within the margin was counted (Weston and Watkins' loss); "
        "here the strongest alone counts."
    ),
    change={
        "(input + margin * wrong - right).amax(dim=1)": (
            "((input + margin - right).relu() * wrong).sum(dim=1)"
        )
    },
)


wrong(
    "mean_over_rivals",
    why=(
        "The violations of all classes were averaged, as `F.multi_margin_loss` "
        "does; here the strongest rival alone counts, however many classes "
        "there are."
    ),
    change={
        "(input + margin * wrong - right).amax(dim=1)": (
            "((input + margin - right).relu() * wrong).mean(dim=1)"
        )
    },
)


wrong(
    "negative_loss",
    why=(
        "A lead larger than the margin was rewarded without limit; the loss stops at 0, so that "
        "easy examples leave the weights alone."
    ),
    change={
        "(input + margin * wrong - right).amax(dim=1)": (
            "(input + margin - right).masked_fill(~wrong, -math.inf).amax(dim=1)"
        )
    },
)


wrong(
    "squared",
    why=(
        "The violations were squared, which is another loss (the squared "
        "hinge): large errors dominate, and the slope at the margin is 0."
    ),
    change={".amax(dim=1)": ".amax(dim=1).square()"},
)


wrong(
    "margin_ignored",
    why="The margin is always 1, whatever the caller asks for.",
    change={"margin * wrong": "1.0 * wrong"},
)


@wrong(
    why=(
        "The right class was excluded with a large negative number, but scores may be lower "
        "still; only −∞ is below every score."
    ),
    corner=True,
)
def a_billion_for_infinity(input, target, *, margin=1.0):
    if input.dim() != 2 or target.shape != input.shape[:1]:
        raise ValueError("the shapes do not fit")
    right = input.gather(1, target[:, None]).squeeze(1)
    rival = input.scatter(1, target[:, None], -1e9).amax(dim=1)
    return (margin + rival - right).clamp(min=0).mean()


wrong(
    "rivals_by_their_score",
    why=(
        "Rivals were identified by their scores, so a class with the same score as the right one "
        "was left out; every class with another index is a rival."
    ),
    change={
        "(input + margin * wrong - right).amax(dim=1)": (
            "(input + margin - right).masked_fill(input == right, -math.inf).amax(dim=1)"
            ".clamp(min=0)"
        )
    },
    corner=True,
)
