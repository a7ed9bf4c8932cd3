"""Right and wrong answers to `recurrent.reverse_padded`."""

import torch

from grader.author.answers import right, wrong


@right
def one_after_another(x, lengths=None):
    if lengths is None:
        return torch.flip(x, dims=(1,))
    rows = []
    for row, length in zip(x, lengths.tolist(), strict=True):
        rows.append(torch.cat([row[:length].flip(0), row[length:]]))
    return torch.stack(rows)


@right
def turned_and_rolled(x, lengths=None):
    longest = x.shape[1]
    if lengths is None:
        lengths = torch.full((len(x),), longest, device=x.device)
    t = torch.arange(longest, device=x.device).expand(len(x), -1)
    turned = (lengths[:, None] - 1 - t) % longest
    index = torch.where(t < lengths[:, None], turned, t)
    return x[torch.arange(len(x), device=x.device)[:, None], index]


wrong(
    "padding_first",
    why=(
        "The whole row was flipped, so the padding comes first and the sequence after it: "
        "the state then begins with padding."
    ),
    change={
        (
            "index = torch.where(t <= last, last - t, t)"
        ): "index = (x.shape[1] - 1 - t).expand(len(x), -1)"
    },
)


wrong(
    "one_too_far",
    why=(
        "The first position got the entry right after the end of the sequence: the last real "
        "position is length − 1."
    ),
    change={
        "index = torch.where(t <= last, last - t, t)": (
            "index = torch.where(t <= last, (last + 1 - t).clamp(max=x.shape[1] - 1), t)"
        )
    },
)


wrong(
    "lengths_ignored_where_equal",
    why="You took one length for the whole batch; each sequence has its own.",
    change={"last = lengths[:, None] - 1": "last = lengths.max().expand(len(x), 1) - 1"},
)


wrong(
    "rolled_not_reversed",
    why=(
        "The sequence was moved to the end of its row, in its old order; it should be read "
        "backwards."
    ),
    change={"index = torch.where(t <= last, last - t, t)": "index = (t + last + 1) % x.shape[1]"},
)


wrong(
    "padding_zeroed",
    why=("The padding was set to zero; it must not change, so that reversing twice gives x again."),
    change={
        "return x.gather(1, index[:, :, None].expand_as(x))": (
            "return x.gather(1, index[:, :, None].expand_as(x)) * (t <= last)[:, :, None]"
        )
    },
)


wrong(
    "nan_to_num",
    why="`nan_to_num` turns ∞ into the largest float; only positions must change, not numbers.",
    change={
        "return x.gather(1, index[:, :, None].expand_as(x))": (
            "return x.gather(1, index[:, :, None].expand_as(x)).nan_to_num()"
        )
    },
    corner=True,
)
