"""Right and wrong answers to `seq2seq.exact_match`."""

import torch
from torch.nn import functional as F

from grader.author.answers import right, wrong


@right
def lists(written, target, *, eos=2):
    def cut(row):
        return row[: row.index(eos) + 1] if eos in row else row

    pairs = zip(written.tolist(), target.tolist(), strict=True)
    return torch.tensor([cut(one) == cut(other) for one, other in pairs], dtype=torch.bool)


@right
def column_by_column(written, target, *, eos=2):
    same = torch.ones(len(written), dtype=torch.bool)
    ended = torch.zeros_like(same)
    for t in range(min(written.shape[1], target.shape[1])):
        here = written[:, t] == target[:, t]
        same = same & (here | ended)
        ended = ended | (here & (target[:, t] == eos))
    if written.shape[1] != target.shape[1]:
        same = same & ended
    return same


wrong(
    "tails_compared",
    why=(
        "You compared the tokens after the end token, too: padding in one and end tokens in the "
        "other make a right answer wrong."
    ),
    change={"tokens.masked_fill(ends > 0, -1)": "tokens"},
)


@wrong(
    why=(
        "You compared only the positions before the target's padding, so an answer that continues "
        "after them counts as right: the end token has to be there."
    )
)
def end_not_compared(written, target, *, eos=2):
    width = max(written.shape[1], target.shape[1])
    written = F.pad(written, (0, width - written.shape[1]), value=-1)
    target = F.pad(target, (0, width - target.shape[1]), value=-1)
    real = (target == eos).cumsum(1) == 0
    return ((written == target) | ~real).all(1)


@wrong(
    why=(
        "You returned the share of right tokens; a date with one wrong digit is a wrong date, so "
        "return true or false."
    )
)
def share_of_tokens(written, target, *, eos=2):
    width = min(written.shape[1], target.shape[1])
    return (written[:, :width] == target[:, :width]).double().mean(dim=1)


@wrong(
    why=(
        "The wider of the two was cut to the width of the other: an answer that is longer, or "
        "breaks off, counts as right."
    ),
    corner=True,
)
def cut_to_the_narrower(written, target, *, eos=2):
    width = min(written.shape[1], target.shape[1])
    written, target = written[:, :width], target[:, :width]
    past = (target == eos).long().cumsum(1) - (target == eos).long()
    return ((written == target) | (past > 0)).all(1)


wrong(
    "end_token_fixed",
    why="The end token is an argument; another vocabulary has another number for it.",
    change={
        "(tokens == eos).cumsum(dim=1) - (tokens == eos)": (
            "(tokens == 2).cumsum(dim=1) - (tokens == 2)"
        ),
    },
)


wrong(
    "end_cut_away",
    why=(
        "You cut the end token off, or filled up with that same token: a sequence that ends and "
        "one that was cut off at that place then look the same."
    ),
    change={" - (tokens == eos).long()": ""},
    corner=True,
)


wrong(
    "all_or_nothing",
    why="You returned one answer for the whole batch; each sequence is right or wrong by itself.",
    change={".all(dim=1)": ".all().expand(len(written))"},
)


wrong(
    "any_token",
    why="One right token is not enough: all have to be.",
    change={".all(dim=1)": ".any(dim=1)"},
)


@wrong(
    why=(
        "All zeros were removed before comparing: padding comes after the end token, and a zero "
        "that was written before it is a mistake."
    ),
    corner=True,
)
def zeros_taken_out(written, target, *, eos=2):
    def cut(row):
        row = row[: row.index(eos) + 1] if eos in row else row
        return [token for token in row if token]

    pairs = zip(written.tolist(), target.tolist(), strict=True)
    return torch.tensor([cut(one) == cut(other) for one, other in pairs])


@wrong(
    why=(
        "You joined the tokens of a sequence into one text: 5 and 11 then look like 51 and 1. "
        "Compare token by token."
    ),
    corner=True,
)
def joined_as_text(written, target, *, eos=2):
    def cut(row):
        row = row[: row.index(eos) + 1] if eos in row else row
        return "".join(map(str, row))

    pairs = zip(written.tolist(), target.tolist(), strict=True)
    return torch.tensor([cut(one) == cut(other) for one, other in pairs])


@wrong(why="You accepted the same tokens in any order; a date with its digits mixed is wrong.")
def any_order(written, target, *, eos=2):
    def cut(row):
        return sorted(row[: row.index(eos) + 1] if eos in row else row)

    pairs = zip(written.tolist(), target.tolist(), strict=True)
    return torch.tensor([cut(one) == cut(other) for one, other in pairs])
