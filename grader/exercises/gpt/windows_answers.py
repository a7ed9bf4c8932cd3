"""Right and wrong answers to `gpt.windows`."""

import torch

from grader.author.answers import right, wrong


@right
def unfolded(tokens, starts, span):
    every = tokens.unfold(0, span + 1, 1)  # (n - span, span + 1)
    if bool((starts < 0).any()) or bool((starts >= len(every)).any()):
        raise ValueError("outside of the text")
    return every[starts, :span], every[starts, 1:]


@right
def piece_by_piece(tokens, starts, span):
    read = tokens.new_zeros(len(starts), span)
    asked = torch.zeros_like(read)
    for row, start in enumerate(starts.tolist()):
        if start < 0 or start + span + 1 > len(tokens):
            raise ValueError(f"a piece at {start} does not fit")
        read[row] = tokens[start : start + span]
        asked[row] = tokens[start + 1 : start + 1 + span]
    return read, asked


wrong(
    "not_shifted",
    why=(
        "Your targets are the inputs themselves: a model learns to copy, with a loss near 0, and "
        "cannot write."
    ),
    change={"found[:, 1:]": "found[:, :-1]"},
)


wrong(
    "shifted_twice",
    why="Your targets come two tokens after the inputs.",
    change={
        "span + 1, device": "span + 2, device",
        "found[:, :-1], found[:, 1:]": "found[:, :-2], found[:, 2:]",
    },
)


wrong(
    "shifted_back",
    why="Your targets come before the inputs: return the two in the other order.",
    change={"return found[:, :-1], found[:, 1:]": "return found[:, 1:], found[:, :-1]"},
)


wrong(
    "one_token_short",
    why="The pieces are one token short: `span` predictions need a piece and one more token.",
    change={"span + 1, device": "span, device"},
)


wrong(
    "turned_round_at_the_end",
    why=(
        "The target of each piece's last token is the piece's first token, as `roll` gives it; in "
        "the text, another token follows."
    ),
    change={
        "return found[:, :-1], found[:, 1:]": (
            "return found[:, :-1], found[:, :-1].roll(-1, dims=1)"
        )
    },
)


wrong(
    "numbers_of_pieces",
    why=(
        "You read the starts as numbers of pieces that lie side by side; they are positions in the "
        "text."
    ),
    change={"tokens[starts[:, None] +": "tokens[(starts * span % (len(tokens) - span))[:, None] +"},
)


wrong(
    "end_not_checked",
    why=(
        "A piece beyond the end raises an IndexError in yours; the docstring promises a ValueError."
    ),
    change={"not 0 <= int(starts.min()) <= int(starts.max()) <= last:": "int(starts.min()) < 0:"},
    corner=True,
)


wrong(
    "beginning_not_checked",
    why="You accepted a start of −1: torch counts it from the end, so the piece is not contiguous.",
    change={"not 0 <= int(starts.min()) <= int(starts.max()) <=": "not int(starts.max()) <="},
    corner=True,
)


wrong(
    "last_piece_refused",
    why="You refused the last piece that fits: its last target is the text's last token.",
    change={"last = len(tokens) - span - 1": "last = len(tokens) - span - 2"},
)
