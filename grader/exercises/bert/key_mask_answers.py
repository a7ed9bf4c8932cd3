"""Right and wrong answers to `bert.key_mask`."""

import torch

from grader.author.answers import right, wrong


@right
def negated(tokens, pad):
    return (tokens == pad).logical_not().unsqueeze(1)


@right
def reshaped(tokens, pad):
    count, length = tokens.shape
    return torch.ne(tokens, pad).reshape(count, 1, length)


wrong(
    "polarity",
    why="Your mask is True at the padding; in this course True may be attended to.",
    change={"tokens != pad": "tokens == pad"},
)


wrong(
    "queries_masked",
    why=(
        "The axis of size 1 is the wrong one: padding attends to nothing, and everything "
        "attends to padding. The mask must hide keys, not queries."
    ),
    change={"[:, None, :]": "[:, :, None]"},
)


wrong(
    "both_masked",
    why="Queries at padding may attend to nothing here; the mask has one row for all queries.",
    change={
        "return (tokens != pad)[:, None, :]": (
            "return (tokens != pad)[:, None, :] & (tokens != pad)[:, :, None]"
        )
    },
)


wrong(
    "no_axis_of_queries",
    why="The axis of queries is missing: (B, T) broadcasts against (B, T, T) along the wrong axes.",
    change={"[:, None, :]": ""},
)


wrong(
    "as_numbers",
    why="Your mask holds numbers, which attention would add to its scores; it must be bool.",
    change={"(tokens != pad)": "(tokens != pad).long()"},
)


@wrong(why="You assumed that [PAD] is number 0; its number is an argument.")
def pad_is_zero(tokens, pad):
    return (tokens != 0)[:, None, :]


@wrong(why="You masked everything from the first [PAD] on. Padding may come before a text, too.")
def from_the_first_one_on(tokens, pad):
    return ((tokens == pad).long().cumsum(dim=-1) == 0)[:, None, :]


@wrong(
    why=(
        "You unmasked a row that is all padding, to avoid an empty softmax. No query may attend to "
        "padding there either: attention gives such queries zeros."
    ),
    corner=True,
)
def empty_row_opened(tokens, pad):
    text = tokens != pad
    return (text | ~text.any(dim=-1, keepdim=True))[:, None, :]
