"""Right and wrong answers to `generative.chance_above`."""

import torch

from grader.author.answers import equivalent, right, wrong


@right
def pair_by_pair(first, second):
    if len(first) == 0 or len(second) == 0:
        raise ValueError("nothing to compare")
    total = 0.0
    for a in first.tolist():
        for b in second.tolist():
            total += 1.0 if a > b else 0.5 if a == b else 0.0
    return torch.tensor(total / (len(first) * len(second)), dtype=first.dtype)


@right
def ranks_by_search(first, second):
    """For each of the first: how many of the second lie below, and how many not above."""
    if not first.numel() or not second.numel():
        raise ValueError("nothing to compare")
    ordered = second.sort().values
    below = torch.searchsorted(ordered, first.contiguous())
    not_above = torch.searchsorted(ordered, first.contiguous(), right=True)
    return (below + not_above).to(first.dtype).mean() / (2 * len(second))


wrong(
    "ties_lost",
    why="A tie counts for nothing here; it is half a success, as a coin would decide it.",
    change={"above + 0.5 * equal": "above"},
)


wrong(
    "ties_won",
    why="A tie counts in full; it is half a success, as a coin would decide it.",
    change={"above + 0.5 * equal": "above + equal"},
)


wrong(
    "the_other_way_round",
    why="This is the chance that the second kind exceeds the first.",
    change={"first[:, None] > second": "first[:, None] < second"},
)


wrong(
    "sum_of_the_pairs",
    why="The pairs were counted; a chance is their mean.",
    change={".mean()": ".sum()"},
)


wrong(
    "difference_of_the_means",
    why="Only whether the means differ was asked; what counts is every pair.",
    change={"(above + 0.5 * equal).mean()": "(first.mean() > second.mean()).to(first.dtype)"},
)


wrong(
    "signs_averaged",
    why=(
        "The mean sign of the differences runs from −1 to 1, and where both are ∞, or both −∞, "
        "the difference is NaN. Count successes."
    ),
    change={"(above + 0.5 * equal).mean()": "(first[:, None] - second).sign().mean()"},
)


wrong(
    "one_against_one",
    why=(
        "The first was compared with the first, the second with the second, and so on; every "
        "number of one kind meets every number of the other."
    ),
    change={
        "above = (first": (
            "n = min(len(first), len(second))\n"
            "    first, second = first[:n], second[:n]\n"
            "    above = (first"
        ),
        "(above + 0.5 * equal).mean()": "(above + 0.5 * equal).diagonal().mean()",
    },
)


wrong(
    "half_for_nothing",
    why="Where one kind is empty there is nothing to compare; the docstring promises a ValueError.",
    change={"raise ValueError(f": "return first.new_tensor(0.5)  # ("},
    corner=True,
)


wrong(
    "pairs_by_their_place",
    why=(
        "Where both kinds have as many numbers, each was compared with the one in its place alone; "
        "every number meets every one of the other kind."
    ),
    change={
        "    above = (": (
            "    if len(first) == len(second):\n"
            "        return ((first > second) + 0.5 * (first == second)).mean().to(first.dtype)\n"
            "    above = ("
        )
    },
    corner=True,
)


equivalent(
    "above = (first[:, None] > second)",
    why="A bool counts as 1 in a sum, and `equal` gives the sum its dtype.",
)
