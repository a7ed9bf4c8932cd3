"""Right and wrong answers to `training.early_stopping`."""

import math

import torch

from grader.author.answers import right, wrong


@right
def with_a_loop(losses, *, patience):
    best, lowest = 0, math.inf
    for epoch, loss in enumerate(losses):
        if loss < lowest:
            best, lowest = epoch, loss
    return best, len(losses) > best + patience


@right
def with_nan_to_num(losses, *, patience):
    values = torch.tensor(losses, dtype=torch.float64).nan_to_num(nan=math.inf, posinf=math.inf)
    best = int((values == values.min()).nonzero()[0])
    return best, bool(len(values[best + 1 :]) >= patience)


@wrong(
    why=(
        "Each epoch was compared with the one before it; a curve may fall and "
        "rise many times below its best, and may creep upward for long. "
        "Compare with the best so far."
    )
)
def worse_than_the_one_before(losses, *, patience):
    heights = [math.inf if math.isnan(loss) else loss for loss in losses]
    best = heights.index(min(heights))
    waited = 0
    for before, now in zip(heights, heights[1:]):
        waited = waited + 1 if now >= before else 0
    return best, waited >= patience


wrong(
    "last_of_equals",
    why=(
        "The last of equally good epochs was kept; an equal loss is no improvement, and "
        "must not reset the patience."
    ),
    change={"heights.index(min(heights))": "len(heights) - 1 - heights[::-1].index(min(heights))"},
    corner=True,
)


wrong(
    "one_too_late",
    why=("Stopped one epoch too late: with patience 1 a single epoch without progress is enough."),
    change={"best >= patience": "best > patience"},
)


wrong(
    "in_one_epoch_alone",
    why=(
        "You check for exactly `patience` epochs; a caller who checks one epoch later "
        "would never stop, so check for at least that many."
    ),
    change={"best >= patience": "best == patience"},
)


wrong(
    "one_too_early",
    why=("Counted the best epoch itself among those waited; waiting begins after it."),
    change={"len(losses) - 1 - best": "len(losses) - best"},
)


wrong(
    "nan_wins",
    why=(
        "Every comparison with NaN is false, so a NaN that comes first is "
        "never beaten; it has to be treated as infinitely bad."
    ),
    change={"math.inf if math.isnan(loss) else loss": "loss"},
    corner=True,
)


wrong(
    "highest",
    why=("The highest loss was taken for the best; a loss is better when it is lower."),
    change={
        "math.inf if math.isnan(loss) else loss": "-math.inf if math.isnan(loss) else loss",
        "min(heights)": "max(heights)",
    },
)


@wrong(
    why=(
        "The epochs with NaN were left out before counting, so all later epochs moved forward: the "
        "number returned is not that of the epoch."
    ),
    corner=True,
)
def nan_left_out(losses, *, patience):
    heights = [loss for loss in losses if not math.isnan(loss)] or [math.inf]
    best = heights.index(min(heights))
    return best, len(losses) - 1 - best >= patience


wrong(
    "counted_from_one",
    why="The best epoch was counted from 1; the docstring counts from 0.",
    change={"return best, len": "return best + 1, len"},
)


wrong(
    "results_swapped",
    why="The answers were returned in the other order; first the epoch, then whether to stop.",
    change={
        "return best, len(losses) - 1 - best >= patience": (
            "return len(losses) - 1 - best >= patience, best"
        )
    },
)


wrong(
    "loss_for_epoch",
    why="The lowest loss was returned; asked is the epoch that reached it.",
    change={"return best, len": "return heights[best], len"},
)


@wrong(
    why=(
        "An improvement counted only when it was larger than some threshold; the docstring knows "
        "none, and any lower loss is better."
    ),
    corner=True,
)
def with_a_threshold(losses, *, patience):
    best, lowest = 0, math.inf
    for epoch, loss in enumerate(losses):
        if loss < lowest - 1e-6:
            best, lowest = epoch, loss
    return best, len(losses) - 1 - best >= patience


wrong(
    "nan_as_a_large_number",
    why="NaN was replaced by a large number, and a loss may be larger still; only ∞ never is.",
    change={"math.inf if math.isnan": "1e9 if math.isnan"},
    corner=True,
)


@wrong(
    why=(
        "NaN was called worse than ∞; it counts as infinitely high, so the two are equal, and the "
        "first of equals is the best."
    ),
    corner=True,
)
def nan_worse_than_infinite(losses, *, patience):
    known = [epoch for epoch, loss in enumerate(losses) if not math.isnan(loss)]
    best = min(known, key=lambda epoch: losses[epoch], default=0)
    return best, len(losses) - 1 - best >= patience
