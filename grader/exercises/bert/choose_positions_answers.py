"""Right and wrong answers to `bert.choose_positions`."""

import torch

from grader.author.answers import right, wrong


@right
def special_ones_ruled_out(tokens, chance, *, ordinary, share=0.15):
    chance = torch.where(tokens >= ordinary, 2.0, chance)
    return chance < share


@right
def filled(tokens, chance, *, ordinary, share=0.15):
    chosen = torch.lt(chance, share)
    return chosen.masked_fill(~(tokens < ordinary), False)


wrong(
    "special_ones_asked",
    why=(
        "[CLS], [SEP] and padding are chosen, too: they are always the same and in the same "
        "places, so predicting them lowers the loss without any knowledge."
    ),
    change={" & (tokens < ordinary)": ""},
)


wrong(
    "last_ordinary_left_out",
    why="Token ordinary − 1 is an ordinary one, and was never chosen.",
    change={"tokens < ordinary": "tokens < ordinary - 1"},
)


wrong(
    "first_special_asked",
    why="Token `ordinary` is the first special one; ordinary tokens are those below it.",
    change={"tokens < ordinary": "tokens <= ordinary"},
)


wrong(
    "share_included",
    why="A chance that equals the share was chosen; it has to be below.",
    change={"chance < share": "chance <= share"},
    corner=True,
)


wrong(
    "the_others",
    why="You chose the positions that should be left alone: 85 % of the text is hidden.",
    change={"chance < share": "chance >= share"},
)


wrong(
    "same_for_all_rows",
    why="The positions chosen in the first row were used in every row.",
    change={"(chance < share)": "(chance[:1] < share)"},
)


wrong(
    "share_fixed",
    why="15 % are chosen whatever the share is.",
    change={"chance < share": "chance < 0.15"},
)


@wrong(why="Either condition was enough; both have to hold.")
def either(tokens, chance, *, ordinary, share=0.15):
    return (chance < share) | (tokens < ordinary)


wrong(
    "at_least_one_in_each_row",
    why=(
        "A position was chosen in each row, even if no chance is small enough: a row may have none."
    ),
    change={
        "(chance < share)": "((chance < share) | (chance == chance.amin(dim=-1, keepdim=True)))"
    },
    corner=True,
)
