"""Right and wrong answers to `transformer.decoder_mask`."""

import torch

from grader.author.answers import right, wrong


@right
def by_comparing_places(lengths, longest):
    if lengths.device.type != "meta" and (lengths > longest).any():
        raise ValueError("too long")
    at = torch.arange(longest, device=lengths.device)
    return (at[None, None, :] <= at[None, :, None]) & (at < lengths[:, None])[:, None]


@right
def by_the_lower_of_two_ends(lengths, longest):
    if lengths.device.type != "meta" and lengths.numel() and lengths.max().item() > longest:
        raise ValueError("too long")
    at = torch.arange(longest, device=lengths.device)
    ends = torch.minimum(at + 1, lengths[:, None])  # how many keys each query sees
    return at < ends[..., None]


wrong(
    "joined_by_or",
    why="You allowed keys that either mask allows. Both must allow a key: use `&`.",
    change={" & padding": " | padding"},
)


wrong(
    "padding_forgotten",
    why=(
        "You hid only the future. That is enough if the loss ignores padding and padding comes "
        "last, but the statement asks for both."
    ),
    change={
        "return causal_mask(longest, device=lengths.device) & padding_mask(lengths, longest)": (
            "return causal_mask(longest, device=lengths.device) | (0 * "
            "padding_mask(lengths, longest)).bool()"
        )
    },
)


wrong(
    "future_not_hidden",
    why="You hid only the padding; a decoder that sees the next word copies it.",
    change={
        "return causal_mask(longest, device=lengths.device) & padding_mask(lengths, longest)": (
            "return padding_mask(lengths, longest).expand(-1, longest, -1)"
        )
    },
)


wrong(
    "rows_of_padding_hidden_too",
    why=(
        "You hid the rows of padded queries, too. Padding is hidden on the last axis, that of the "
        "keys; a row without any key is a softmax of nothing."
    ),
    change={
        "padding_mask(lengths, longest)": (
            "padding_mask(lengths, longest) & padding_mask(lengths, longest).transpose(1, 2)"
        )
    },
)


wrong(
    "true_blocks",
    why="Your mask is inverted: here True may attend.",
    change={
        "return causal_mask(longest, device=lengths.device) & padding_mask(lengths, longest)": (
            "return ~(causal_mask(longest, device=lengths.device) & padding_mask(lengths, longest))"
        )
    },
)


wrong(
    "strictly_past",
    why=(
        "A position may attend to itself; you allow only the past, so the first one sees nothing. "
        "The input is already shifted, so a position gives nothing away by attending to itself."
    ),
    change={
        "causal_mask(longest, device=lengths.device)": (
            "causal_mask(longest, device=lengths.device).tril(-1)"
        ),
    },
)


wrong(
    "on_the_processor",
    why=(
        "You made the mask on the CPU, whatever device the lengths are on; with a model on a "
        "GPU, torch refuses: `device=lengths.device`."
    ),
    change={
        "    return causal_mask(longest, device=lengths.device)": (
            "    lengths = lengths.cpu()\n    return causal_mask(longest, device=lengths.device)"
        )
    },
    corner=True,
)


wrong(
    "one_mask_without_padding",
    why=(
        "You returned a single mask if no sequence is padded. Its shape would depend on the "
        "lengths: return one mask per sequence, (B, T, T), always."
    ),
    change={
        "    return causal_mask(longest, device=lengths.device)": (
            "    if lengths.device.type != 'meta' and (lengths == longest).all():\n"
            "        return causal_mask(longest, device=lengths.device)[None]\n"
            "    return causal_mask(longest, device=lengths.device)"
        )
    },
    corner=True,
)
