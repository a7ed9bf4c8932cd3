"""Right and wrong answers to `training.dropout`."""

import torch

from grader.author.answers import right, wrong


@right
def with_where(input, draws, *, p):
    return torch.where(draws < p, torch.zeros_like(input), input / (1 - p))


@right
def with_masked_fill(input, draws, *, p):
    return (input * (1 / (1 - p))).masked_fill(~(draws >= p), 0.0)


wrong(
    "not_scaled",
    why=(
        "What survives was not scaled up by 1 / (1 − p): the next layer sees "
        "smaller sums in training than in evaluation."
    ),
    change={" / (1 - p)": ""},
)


wrong(
    "kept_and_dropped_swapped",
    why=(
        "Entries are kept with probability p and dropped with 1 − p; p is the probability of zero."
    ),
    change={"draws >= p": "draws < p"},
)


wrong(
    "divided_by_p",
    why=(
        "Divided by p, the probability of zero; the mean stays when the "
        "survivors are divided by their own share, 1 − p."
    ),
    change={"(1 - p)": "p"},
)


wrong(
    "scaled_down",
    why=(
        "Multiplied by 1 − p, which is what the original method does in "
        "evaluation; in training the survivors are scaled up."
    ),
    change={"/ (1 - p)": "* (1 - p)"},
)


wrong(
    "equal_is_dropped",
    why=(
        "A draw equal to p was dropped; draws come from [0, 1), so dropping "
        "below p has probability p, and for p = 0 nothing may be dropped."
    ),
    change={"draws >= p": "draws > p"},
    corner=True,
)


wrong(
    "rescaled_by_count",
    why=(
        "The scale was taken from how many entries happened to survive; with 1 "
        "/ (1 − p) each entry has the right mean, whatever the others do."
    ),
    change={"/ (1 - p)": "/ (draws >= p).to(input.dtype).mean()"},
)


wrong(
    "mask_alone",
    why="The mask was returned, scaled, and not the entries that it lets through.",
    change={"input / (1 - p)": "1 / (1 - p)"},
)


wrong(
    "survivors_alone_cut_off",
    why=(
        "The result is cut off from its input, so no gradient comes back: a mask needs none, the "
        "input does."
    ),
    change={"input / (1 - p)": "input.detach() / (1 - p)"},
)


@wrong(why="One draw decided for a whole row; every entry has a draw of its own.")
def whole_rows(input, draws, *, p):
    first = draws[..., :1] if draws.ndim else draws
    return torch.where(first >= p, input / (1 - p), 0.0)


@wrong(why="The entries were set to zero in the tensor that came in; make a new one.")
def in_place(input, draws, *, p):
    input[draws < p] = 0.0
    return input / (1 - p)
