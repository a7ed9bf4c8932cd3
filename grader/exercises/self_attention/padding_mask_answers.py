"""Right and wrong answers to `self_attention.padding_mask`."""

import torch

from grader.author.answers import right, wrong


@right
def row_after_row(lengths, longest):
    if (lengths > longest).any():
        raise ValueError("a sequence longer than the batch")
    mask = torch.zeros(len(lengths), 1, longest, dtype=torch.bool, device=lengths.device)
    for row, length in zip(mask, lengths.tolist()):
        row[:, :length] = True
    return mask


@right
def positions_by_counting_up(lengths, longest):
    if (lengths > longest).any():
        raise ValueError("a sequence longer than the batch")
    positions = torch.ones(len(lengths), 1, longest, device=lengths.device).cumsum(-1)
    return ~torch.gt(positions, lengths.view(-1, 1, 1))


wrong(
    "true_means_padding",
    why=(
        "You marked the padding; here True means *may attend*, so the real "
        "positions are the ones to mark."
    ),
    change={") < lengths[:, None]": ") >= lengths[:, None]"},
)


wrong(
    "one_too_many",
    why=(
        "Positions count from 0: a sequence of length 3 has the positions 0, 1 "
        "and 2, so compare with <, not with ≤."
    ),
    change={") < lengths[:, None]": ") <= lengths[:, None]"},
)


wrong(
    "no_axis_for_the_queries",
    why=(
        "(B, T) does not broadcast to (B, queries, keys) as you mean it: torch "
        "would take B for the queries. Put an axis of size 1 between the two."
    ),
    change={"real[:, None, :]": "real"},
)


wrong(
    "masks_the_queries",
    why=(
        "(B, T, 1) hides whole queries and still lets the others attend to the padding; the keys "
        "are on the last axis."
    ),
    change={"real[:, None, :]": "real[:, :, None]"},
)


wrong(
    "hides_the_queries_too",
    why=(
        "You hid the rows of the padding as well as its columns; what a padded "
        "position finds is thrown away anyway, and a row without any key is "
        "the one case in which the softmax fails."
    ),
    change={"real[:, None, :]": "real[:, None, :] & real[:, :, None]"},
)


wrong(
    "padding_in_front",
    why=(
        "You took the *last* positions of each sequence as the real ones; the "
        "padding follows the sequence."
    ),
    change={") < lengths[:, None]": ") >= longest - lengths[:, None]"},
)


wrong(
    "longest_of_the_batch",
    why=(
        "The batch is `longest` positions wide, which may be more than its "
        "longest sequence: build the mask that wide."
    ),
    change={"torch.arange(longest,": "torch.arange(int(lengths.max()),"},
)


wrong(
    "on_the_processor",
    why=(
        "The mask was made on the CPU, whatever device the lengths are on; a model on a GPU cannot "
        "use it: `device=lengths.device`."
    ),
    change={"    if lengths.numel()": "    lengths = lengths.cpu()\n    if lengths.numel()"},
    corner=True,
)
