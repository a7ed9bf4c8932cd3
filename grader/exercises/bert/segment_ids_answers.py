"""Right and wrong answers to `bert.segment_ids`."""

import torch

from grader.author.answers import right, wrong


@right
def row_by_row(tokens, sep):
    found = torch.zeros(tokens.shape, dtype=torch.int64)
    flat = tokens.reshape(-1, tokens.shape[-1])
    for row, out in zip(flat, found.view(flat.shape)):
        at = (row == sep).nonzero()[:, 0].tolist()
        if len(at) == 2:
            out[at[0] + 1 : at[1] + 1] = 1
    return found


@right
def counted_from_both_ends(tokens, sep):
    is_sep = (tokens == sep).to(torch.int64)
    behind = (is_sep.cumsum(-1) - is_sep) >= 1
    ahead = is_sep.flip(-1).cumsum(-1).flip(-1) >= 1
    return torch.where(behind & ahead, 1, 0)


wrong(
    "sep_one_early",
    why="The first [SEP] was counted with the second text; it ends the first.",
    change={"is_sep.cumsum(dim=-1) - is_sep": "is_sep.cumsum(dim=-1)", "before < ": "before <= "},
)


wrong(
    "second_sep_left_out",
    why="The second [SEP] has segment 0 here; it belongs to the second text, which it ends.",
    change={
        "before = is_sep.cumsum(dim=-1) - is_sep": (
            "before = (is_sep.cumsum(dim=-1) - is_sep) * (1 - is_sep)"
        )
    },
)


wrong(
    "both_seps_shifted",
    why=(
        "Each [SEP] was counted with the text that follows it; it belongs to the text that it ends."
    ),
    change={"is_sep.cumsum(dim=-1) - is_sep": "is_sep.cumsum(dim=-1)"},
)


wrong(
    "padding_in_the_second",
    why="Padding has segment 1 here; the second text ends with its [SEP], and padding is 0.",
    change={" & (before < is_sep.sum(dim=-1, keepdim=True))": ""},
)


wrong(
    "three_segments",
    why="Tokens after the second [SEP] have number 2, but the table has two rows, 0 and 1.",
    change={"((before > 0) & (before < is_sep.sum(dim=-1, keepdim=True))).long()": "before"},
)


wrong(
    "turned_round",
    why="The segments are the wrong way round: the first text has 0 and the second 1.",
    change={"(before > 0) & (before <": "(before < 1) & (before <"},
)


wrong(
    "counted_through_the_batch",
    why="You counted [SEP] through the whole batch; count in each row separately.",
    change={
        "is_sep.cumsum(dim=-1) - is_sep": (
            "is_sep.flatten().cumsum(dim=0).reshape(is_sep.shape) - is_sep"
        )
    },
)


@wrong(why="A row of one text was treated as a pair: everything after its [SEP] has segment 1.")
def one_text_taken_for_two(tokens, sep):
    is_sep = (tokens == sep).long()
    before = is_sep.cumsum(dim=-1) - is_sep
    return (before == 1).long()


wrong(
    "as_bool",
    why="The segments are bool here; they index a table, so they are int64.",
    change={".sum(dim=-1, keepdim=True))).long()": ".sum(dim=-1, keepdim=True)))"},
)
