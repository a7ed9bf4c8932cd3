"""Right and wrong answers to `recurrent.last_states`."""

import torch

from grader.author.answers import right, wrong


@right
def row_by_row(output, lengths, *, bidirectional=False):
    picked = []
    for row, length in zip(output, lengths.tolist(), strict=True):
        end = row[length - 1]
        if bidirectional:
            half = len(end) // 2
            end = torch.cat((end[:half], row[0][half:]))
        picked.append(end)
    return torch.stack(picked)


@right
def with_gather(output, lengths, *, bidirectional=False):
    index = (lengths - 1)[:, None, None].expand(-1, 1, output.size(2))
    ends = output.gather(1, index).squeeze(1)
    if bidirectional:
        forward = torch.arange(output.size(2), device=output.device) < output.size(2) / 2
        ends = torch.where(forward, ends, output[:, 0])
    return ends


wrong(
    "last_of_the_padding",
    why=(
        "You took the last position of the batch. For a shorter sequence that is padding; "
        "its own end is at length − 1."
    ),
    change={"lengths - 1]": "torch.full_like(lengths, -1)]"},
)


wrong(
    "one_too_far",
    why="The last of n positions has index n − 1; you read one position further, which is padding.",
    change={"lengths - 1]": "lengths.clamp(max=output.shape[1] - 1)]"},
)


wrong(
    "backward_half_at_the_end",
    why=(
        "At the last position the backward direction has read only one symbol; it has read "
        "everything at position 0."
    ),
    change={"if not bidirectional:": "if True:"},
)


wrong(
    "all_at_the_beginning",
    why="Both halves were taken at position 0; there the forward direction has read one position.",
    change={"ends[:, :half]": "output[:, 0, :half]"},
)


wrong(
    "halves_swapped",
    why=(
        "Each half was taken where its direction begins. The forward direction, the first half of "
        "the features, ends at the last position; the backward direction, the second, at 0."
    ),
    change={
        "torch.cat([ends[:, :half], output[:, 0, half:]], dim=1)": (
            "torch.cat([output[:, 0, :half], ends[:, half:]], dim=1)"
        )
    },
)


wrong(
    "one_length_for_all",
    why="The end of the first sequence was taken for all; each has its own length.",
    change={"lengths - 1]": "lengths[0].expand(len(lengths)) - 1]"},
)


wrong(
    "half_of_the_positions",
    why="You halved the axis of the positions; the two directions share that of the features.",
    change={"half = output.shape[2] // 2": "half = output.shape[1] // 2"},
)


wrong(
    "one_sequence_squeezed",
    why="With one sequence the axis of the batch has size 1, and `squeeze` removed it.",
    change={
        "ends = output[torch.arange(len(output), device=output.device), lengths - 1]": (
            "ends = output[torch.arange(len(output)), lengths - 1].squeeze()"
        ),
        "return torch.cat([ends[:, :half], output[:, 0, half:]], dim=1)": (
            "return torch.cat([ends[..., :half], output[:, 0, half:].squeeze()], dim=-1)"
        ),
    },
    corner=True,
)
