"""Right and wrong answers to `training.random_trials`."""

import torch

from grader.author.answers import right, wrong


@right
def in_logarithms(draws, *, low, high):
    low = torch.tensor(low, dtype=draws.dtype).log()
    high = torch.tensor(high, dtype=draws.dtype).log()
    return torch.exp(low + draws * (high - low))


@right
def column_by_column(draws, *, low, high):
    columns = []
    for column, bottom, top in zip(draws.T, low, high):
        columns.append(bottom ** (1 - column) * top**column)
    return torch.stack(columns, dim=1)


wrong(
    "linear_scale",
    why=(
        "low + (high − low) u is even on a linear scale: between 0.0001 and 1, "
        "nine in ten trials then lie above 0.1."
    ),
    change={"low ** (1 - draws) * high**draws": "low + (high - low) * draws"},
)


wrong(
    "ends_swapped",
    why=(
        "u = 0 gives `high` and u = 1 gives `low`; as random draws it would do "
        "no harm, but the docstring fixes which draw gives which trial."
    ),
    change={"low ** (1 - draws) * high**draws": "high ** (1 - draws) * low**draws"},
)


wrong(
    "ends_as_exponents",
    why=(
        "10 was raised to a power between low and high, as if these were "
        "exponents; they are values, so take their logarithms first."
    ),
    change={"low ** (1 - draws) * high**draws": "10 ** (low + (high - low) * draws)"},
)


wrong(
    "exponential_of_the_range",
    why=(
        "The range was stretched between low and high after the exponential; "
        "take logarithms of the ends, go between them, and come back."
    ),
    change={
        "low ** (1 - draws) * high**draws": (
            "low + (high - low) * (draws.exp() - 1) / (math.e - 1)"
        )
    },
)


wrong(
    "one_draw_for_all",
    why=(
        "One draw per trial was used for all its hyperparameters: the trials "
        "lie on a line, and the rest of the square is never seen."
    ),
    change={"low ** (1 - draws) * high**draws": "low ** (1 - draws[:, :1]) * high ** draws[:, :1]"},
)


wrong(
    "ranges_across",
    why=(
        "The ranges were laid along the trials; each column is a "
        "hyperparameter, with a range of its own."
    ),
    change={
        "draws.new_tensor(low), draws.new_tensor(high)": (
            "draws.new_tensor(low)[:, None], draws.new_tensor(high)[:, None]"
        )
    },
)


wrong(
    "powers_alone",
    why="The exponents were drawn evenly, and never raised: the result are logarithms.",
    change={"low ** (1 - draws) * high**draws": "low.log() + draws * (high.log() - low.log())"},
)


@wrong(
    why=(
        "The ranges became tensors of float32, torch's default, and lost half their digits; give "
        "them the dtype of the draws."
    )
)
def ranges_in_single_precision(draws, *, low, high):
    low, high = torch.tensor(low), torch.tensor(high)
    return low * (high / low) ** draws


@wrong(why="The smallest and largest of all ends were taken; each column has a range of its own.")
def one_range_for_all(draws, *, low, high):
    return min(low) * (max(high) / min(low)) ** draws


wrong(
    "quotient_that_overflows",
    why=(
        "high / low is beyond all floats where the range is wide; low¹⁻ᵘ highᵘ, or a sum of "
        "logarithms, never leaves the range."
    ),
    change={"low ** (1 - draws) * high**draws": "low * (high / low) ** draws"},
    corner=True,
)
