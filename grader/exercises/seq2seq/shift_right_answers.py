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
        "The decoder is fed the very token that it is asked for at that position: it learns to "
        "copy its input, and can write nothing when there is no target to copy."
    ),
    change={"torch.cat([begin, target[:, :-1]], dim=1)": "target"},
)


wrong(
    "shifted_twice",
    why=(
        "Everything stands two places later: the decoder has to guess a token without the one "
        "right before it, and in use it is fed that one."
    ),
    change={
        "[begin, target[:, :-1]], dim=1)": "[begin, begin, target], dim=1)[:, : target.shape[1]]"
    },
)


wrong(
    "shifted_left",
    why=(
        "You shifted the other way: at each position the decoder reads the token that comes after "
        "the one it is asked for."
    ),
    change={"[begin, target[:, :-1]]": "[target[:, 1:], begin]"},
)


wrong(
    "last_token_moved_to_the_front",
    why=(
        "A roll brings the last token of the target to the front; what stands there has to be the "
        "begin token, for nothing else is known when writing begins."
    ),
    change={"torch.cat([begin, target[:, :-1]], dim=1)": "target.roll(1, dims=1)"},
)


wrong(
    "first_token_overwritten",
    why=(
        "The first token was replaced by the begin token and the others stayed where they are: "
        "from position 1 on, the decoder is fed what it is asked for."
    ),
    change={"[begin, target[:, :-1]]": "[begin, target[:, 1:]]"},
)


wrong(
    "one_longer",
    why=(
        "The begin token was put in front and nothing taken away: there is one input more than "
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
