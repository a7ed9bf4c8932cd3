"""Right and wrong answers to `refresher.finite_difference`."""

import torch

from grader.author.answers import right, wrong


@right
def copies_in_a_loop(function, x, *, step):
    slopes = torch.empty_like(x)
    for place in range(len(x)):
        up, down = x.clone(), x.clone()
        up[place] = up[place] + step
        down[place] = down[place] - step
        slopes[place] = (function(up) - function(down)) / 2 / step
    return slopes


@right
def both_one_sided_averaged(function, x, *, step):
    here = function(x)
    slopes = []
    for place in range(len(x)):
        move = torch.zeros_like(x)
        move[place] = step
        forward = (function(x + move) - here) / step
        backward = (here - function(x - move)) / step
        slopes.append((forward + backward) / 2)
    return torch.stack(slopes)


wrong(
    "one_sided",
    why=(
        "f(x) was subtracted instead of f(x − ε): the error of this one-sided quotient shrinks "
        "like ε, that of the central one like ε²."
    ),
    change={"function(x - move)": "function(x)", "(2 * step)": "step"},
)


wrong(
    "half_the_distance",
    why="From x − ε to x + ε the distance is 2ε; divided by ε, every derivative is twice as large.",
    change={"(2 * step)": "step"},
)


wrong(
    "all_moved_at_once",
    why=(
        "All inputs were moved together, which measures the sum of all derivatives; move one, and "
        "leave the others where they are."
    ),
    change={"torch.eye(len(x), dtype": "torch.ones(len(x), len(x), dtype"},
)


wrong(
    "not_divided",
    why=(
        "The difference was not divided by the distance: a derivative is a change per unit of "
        "change."
    ),
    change={" / (2 * step)": ""},
)


wrong(
    "down_minus_up",
    why="f(x − ε) − f(x + ε) has the opposite sign: a positive derivative means that f rises.",
    change={
        "function(x + move) - function(x - move)": "function(x - move) - function(x + move)",
    },
)


wrong(
    "step_in_proportion",
    why=(
        "The input was moved by a fraction ε of itself, but the difference was divided by 2ε: "
        "this is x · ∂f/∂x."
    ),
    change={"for move in moves": "for move in moves * x"},
)


@wrong(
    why=(
        "The moved input was not put back, so every entry is measured at another point; and the "
        "caller's x is changed."
    )
)
def moves_pile_up(function, x, *, step):
    slopes = torch.zeros_like(x)
    for place in range(len(x)):
        x[place] += step
        above = function(x)
        x[place] -= 2 * step
        slopes[place] = (above - function(x)) / (2 * step)
    return slopes


@wrong(
    why=(
        "The step that was asked for was replaced by a tiny one, and the quotient is the exact "
        "derivative up to rounding; with the given ε it differs from it."
    )
)
def own_step(function, x, *, step):
    tiny = 1e-5
    slopes = []
    for move in tiny * torch.eye(len(x), dtype=x.dtype):
        slopes.append((function(x + move) - function(x - move)) / (2 * tiny))
    return torch.stack(slopes)
