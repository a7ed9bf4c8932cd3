"""Right and wrong answers to `seq2seq.scheduled_inputs`."""

import torch

from grader.author.answers import right, wrong


@right
def entry_by_entry(forced, written, uniform, *, share):
    fed = forced.clone()
    for row in range(forced.shape[0]):
        for t in range(1, forced.shape[1]):
            if uniform[row, t] < share:
                fed[row, t] = written[row, t - 1]
    return fed


@right
def two_pieces(forced, written, uniform, *, share):
    rest = torch.where(uniform[:, 1:] < share, written[:, :-1], forced[:, 1:])
    return torch.cat((forced[:, :1], rest), dim=1)


wrong(
    "not_shifted",
    why=(
        "The model's token of position t became the input at t; it is read one step later, like "
        "the target's."
    ),
    change={"shift_right(written)": "written.clone()"},
)


wrong(
    "first_replaced",
    why=(
        "The first input was replaced, too: nothing is generated before it, so it is always the "
        "begin token."
    ),
    change={"    chosen[:, 0] = False\n": "    own = written.roll(1, dims=1)\n"},
)


wrong(
    "shares_swapped",
    why="share is that of the model's own tokens; you used it as the share of the target's.",
    change={"uniform < share": "uniform >= share"},
)


wrong(
    "whole_sequences",
    why=(
        "One number decides for a whole sequence; each input is drawn by itself, so that the model "
        "meets single mistakes of its own."
    ),
    change={"uniform < share": "(uniform[:, :1] < share).repeat(1, forced.shape[1])"},
)


wrong(
    "whole_positions",
    why="The numbers of the first sequence decide for all; each has its own.",
    change={"uniform < share": "(uniform[:1] < share).repeat(len(forced), 1)"},
)


wrong(
    "border_on_the_other_side",
    why=(
        "Below the share the model's token is read, from the share on the target's: with share 0, "
        "no input is the model's."
    ),
    change={"uniform < share": "uniform <= share"},
    corner=True,
)


wrong(
    "chance_of_the_step_before",
    why="The number of position t decides on the input at t; you shifted the numbers, too.",
    change={"uniform < share": "uniform.roll(1, dims=1) < share"},
)
