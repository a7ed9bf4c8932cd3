"""Right and wrong answers to `transfer.prefix_mask`."""

import torch

from grader.author.answers import right, wrong


@right
def by_the_later_one(prefixes, longest):
    places = torch.arange(longest, device=prefixes.device)
    allowed = torch.maximum(places[None, :], prefixes[:, None] - 1)  # each query's last key
    return places[None, None, :] <= allowed[:, :, None]


@right
def with_tril(prefixes, longest):
    past = torch.ones(longest, longest, dtype=torch.bool, device=prefixes.device).tril()
    keys = torch.arange(longest, device=prefixes.device).view(1, 1, -1)
    return torch.logical_or(past.expand(len(prefixes), -1, -1), keys < prefixes.view(-1, 1, 1))


wrong(
    "causal_inside_the_prefix",
    why=(
        "The prefix is causal inside: its first token does not see its last. That is an ordinary "
        "decoder; the prefix is there to be read as an encoder reads."
    ),
    change={
        "return past | (place < prefixes[:, None])[:, None]": (
            "return past.expand(len(prefixes), -1, -1) | False"
        )
    },
)


wrong(
    "prefix_sees_all",
    why=(
        "Queries of the prefix see what comes after it: the text to be written is before the "
        "model's eyes. It is the keys that must lie in the prefix."
    ),
    change={"prefixes[:, None])[:, None]": "prefixes[:, None])[..., None]"},
)


wrong(
    "only_within",
    why="The prefix sees itself, but what follows cannot see the prefix.",
    change={
        "return past | (place < prefixes[:, None])[:, None]": (
            "inside = place < prefixes[:, None]\n"
            "    return (past & (inside[:, None] == inside[..., None])) | "
            "(inside[:, None] & inside[..., None])"
        )
    },
)


wrong(
    "one_too_many",
    why="One position more than the prefix has was opened: the first token to be written is seen.",
    change={"place < prefixes[:, None]": "place <= prefixes[:, None]"},
)


wrong(
    "future_for_past",
    why="What follows the prefix sees what comes after itself, in place of what came before.",
    change={"past = place <= place[:, None]": "past = place >= place[:, None]"},
)


wrong(
    "itself_not_seen",
    why="A position after the prefix does not see itself.",
    change={"past = place <= place[:, None]": "past = place < place[:, None]"},
)


wrong(
    "true_is_blocked",
    why="The mask says what is blocked; here true may attend.",
    change={
        "return past | (place < prefixes[:, None])[:, None]": (
            "return ~(past | (place < prefixes[:, None])[:, None])"
        )
    },
)
