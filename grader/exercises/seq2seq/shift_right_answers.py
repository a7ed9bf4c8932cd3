"""Right and wrong answers to `seq2seq.shift_right`."""

import torch
from torch.nn import functional as F

from grader.author.answers import right, wrong


@right
def into_an_empty_one(target, *, bos=1):
    fed = torch.empty_like(target)
    fed[:, 0] = bos
    fed[:, 1:] = target[:, :-1]
    return fed


@right
def padded_in_front(target, *, bos=1):
    return F.pad(target, (1, 0), value=bos)[:, : target.shape[1]]


@right
def rolled(target, *, bos=1):
    fed = target.roll(1, dims=1)
    return torch.where(torch.arange(target.shape[1]) == 0, torch.full_like(fed, bos), fed)


wrong(
    "not_shifted",
    why=(
        "At each position the decoder reads the token that it must predict there: it learns to "
        "copy its input, and can generate nothing without a target."
    ),
    change={"torch.cat([begin, target[:, :-1]], dim=1)": "target"},
)


wrong(
    "shifted_twice",
    why=(
        "Everything is shifted by two positions: the decoder has to predict a token without the "
        "one just before it, although in use it reads that one."
    ),
    change={
        "[begin, target[:, :-1]], dim=1)": "[begin, begin, target], dim=1)[:, : target.shape[1]]"
    },
)


wrong(
    "shifted_left",
    why=(
        "You shifted the other way: at each position the decoder reads the token after the one "
        "that it must predict."
    ),
    change={"[begin, target[:, :-1]]": "[target[:, 1:], begin]"},
)


wrong(
    "last_token_moved_to_the_front",
    why=(
        "A roll moves the last token of the target to the front; the begin token belongs there, "
        "because nothing else is known at the start of generation."
    ),
    change={"torch.cat([begin, target[:, :-1]], dim=1)": "target.roll(1, dims=1)"},
)


wrong(
    "first_token_overwritten",
    why=(
        "The first token was replaced by the begin token and the others stayed where they are: "
        "from position 1 on, the decoder reads what it must predict."
    ),
    change={"[begin, target[:, :-1]]": "[begin, target[:, 1:]]"},
)


wrong(
    "one_longer",
    why=(
        "The begin token was put in front and nothing was removed: there is one input more than "
        "there are targets. The last token is never read."
    ),
    change={"target[:, :-1]]": "target]"},
)


wrong(
    "always_the_same_begin",
    why="The begin token is an argument; other vocabularies number it differently.",
    change={"target[:, :1], bos)": "target[:, :1], 1)"},
)


@wrong(why="You wrote into the target itself: the loss then asks for the shifted tokens.")
def in_place(target, *, bos=1):
    target[:, 1:] = target[:, :-1].clone()
    target[:, 0] = bos
    return target


wrong(
    "zero_taken_for_none",
    why=(
        "You took a begin token of 0 for none: `bos or …` replaces it by another. 0 is a token "
        "like all others."
    ),
    change={"target[:, :1], bos)": "target[:, :1], bos or 1)"},
    corner=True,
)


wrong(
    "no_begin_before_padding",
    why=(
        "You put no begin token in front of padding: every row gets one, whatever its first entry."
    ),
    change={"target[:, :1], bos)": "target[:, :1], bos).masked_fill(target[:, :1] == 0, 0)"},
)
