"""Right and wrong answers to `mlp.interpolate`."""

import torch

from grader.author.answers import right, wrong


@right
def knot_by_knot(knots, values):
    weights, slope = [], 0.0
    for left in range(len(knots) - 1):
        wanted = (values[left + 1] - values[left]) / (knots[left + 1] - knots[left])
        weights.append(wanted - slope)
        slope = wanted
    first = torch.ones(len(knots) - 1, 1, dtype=knots.dtype)
    return [first, torch.stack(weights)[None]], [-knots[:-1], values[0:1]]


@right
def system_of_equations(knots, values):
    ramps = torch.clamp(knots[1:, None] - knots[None, :-1], min=0.0)
    heights = (values[1:] - values[0]).unsqueeze(1)
    bends = torch.linalg.solve_triangular(ramps, heights, upper=False)
    return (torch.ones_like(bends), bends.T), (knots[:-1].neg(), values[0].reshape(1))


wrong(
    "slopes_for_bends",
    why=(
        "The weights in W₂ are the slopes themselves; units that turned on before stay on, so "
        "each new one adds only the change of the slope."
    ),
    change={"bends.unsqueeze(0)": "slopes.unsqueeze(0)"},
)


wrong(
    "differences_for_slopes",
    why=(
        "The differences of the values were taken for slopes; that is right only if the knots "
        "are 1 apart; divide by the distance between them."
    ),
    change={"values.diff() / knots.diff()": "values.diff()"},
)


wrong(
    "start_at_zero",
    why="The last bias is 0, so the graph starts at 0 and not at the first value.",
    change={"values[:1]": "torch.zeros_like(values[:1])"},
)


wrong(
    "folds_on_the_other_side",
    why=(
        "A unit relu(x + b) folds where x = −b: with the knot itself as bias it folds at minus the "
        "knot."
    ),
    change={"-knots[:-1], ": "knots[:-1], "},
)


wrong(
    "folds_at_the_end_of_the_piece",
    why=(
        "Each unit folds at the end of its piece instead of at the start, so the graph bends one "
        "knot too late."
    ),
    change={"-knots[:-1], ": "-knots[1:], "},
)


wrong(
    "first_slope_lost",
    why=(
        "The first weight in W₂ is 0, but the graph is flat before the first knot, so the first "
        "weight must be the whole first slope."
    ),
    change={"slopes.diff(prepend=slopes.new_zeros(1))": "slopes.diff(prepend=slopes[:1])"},
)
