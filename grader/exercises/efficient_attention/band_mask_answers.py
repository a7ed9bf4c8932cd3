"""Right and wrong answers to `efficient_attention.band_mask`."""

import torch

from grader.author.answers import right, wrong


@right
def triangles(queries, keys, *, window=None, device=None):
    if queries > keys:
        raise ValueError("too many queries")
    seen = torch.ones(queries, keys, dtype=torch.bool, device=device).tril(keys - queries)
    if window is not None:
        seen = seen.triu(keys - queries - window + 1)
    return seen


@right
def rows_of_the_whole(queries, keys, *, window=None, device=None):
    if queries > keys:
        raise ValueError("too many queries")
    window = keys + 1 if window is None else window
    at = torch.arange(keys, device=device)
    back = at[:, None] - at[None, :]
    whole = (back >= 0) & (back < window)
    return whole[keys - queries :]


wrong(
    "queries_from_the_start",
    why=(
        "The queries were put at positions 0, 1, 2, …; they are the last of the keys, so "
        "with a cache "
        "every query would lose sight of its own past."
    ),
    change={
        "at = torch.arange(keys - queries, keys, device=device)": (
            "at = torch.arange(queries, device=device)"
        )
    },
)


wrong(
    "position_off_by_one",
    why=(
        "Each query stands one position too late, and sees the token after it: in "
        "training it reads "
        "off the answer, and at the end of a text there is none."
    ),
    change={
        "torch.arange(keys - queries, keys, device=device)": (
            "torch.arange(keys - queries + 1, keys + 1, device=device)"
        )
    },
)


wrong(
    "not_itself",
    why="A position may look at itself; the first one would have nothing to look at.",
    change={"key_at <= at": "key_at < at"},
)


wrong(
    "window_one_too_wide",
    why=(
        "The window counts the position itself, so a window of w reaches back w − 1 "
        "positions, not w."
    ),
    change={"key_at > at - window": "key_at >= at - window"},
)


wrong(
    "window_one_too_narrow",
    why=(
        "The window counts the position itself and w − 1 before it; you left the "
        "farthest of them out."
    ),
    change={"key_at > at - window": "key_at > at - window + 1"},
)


wrong(
    "window_without_the_past",
    why="With a window, your mask lets queries see the future.",
    change={"past if window is None else past & (": "past if window is None else ("},
)


wrong(
    "true_is_blocked",
    why=(
        "Here True means: may attend. Your mask says the opposite, as that of "
        "nn.MultiheadAttention does."
    ),
    change={"past = key_at <= at ": "past = key_at > at "},
)


wrong(
    "queries_not_checked",
    why="More queries than keys cannot all be among them: the docstring asks for a ValueError.",
    change={"if queries > keys:": "if False:"},
    corner=True,
)


wrong(
    "almost_all_is_all",
    why="A window one short of all keys still hides one: the last query must not see the first.",
    change={"if window is None else": "if window is None or window >= keys - 1 else"},
)
