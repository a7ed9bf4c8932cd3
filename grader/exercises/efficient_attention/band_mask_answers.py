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
        "You put the queries at positions 0, 1, 2, …. They are the last of the keys: otherwise, "
        "after a cache, no query sees its past."
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
        "Each of your queries stands one position too late, and sees the token after it: in "
        "training it reads the answer, and at the end of a text there is none."
    ),
    change={
        "torch.arange(keys - queries, keys, device=device)": (
            "torch.arange(keys - queries + 1, keys + 1, device=device)"
        )
    },
)


wrong(
    "not_itself",
    why="A position may attend to itself; otherwise the first one has no key.",
    change={"key_at <= at": "key_at < at"},
)


wrong(
    "window_one_too_wide",
    why=(
        "The window includes the position itself, so a window of w reaches back w − 1 positions, "
        "not w."
    ),
    change={"key_at > at - window": "key_at >= at - window"},
)


wrong(
    "window_one_too_narrow",
    why=(
        "The window is the position itself and the w − 1 positions before it; you left out the "
        "first of them."
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
    why="Here True means: may attend. Your mask is inverted, like that of nn.MultiheadAttention.",
    change={"past = key_at <= at ": "past = key_at > at "},
)


wrong(
    "queries_not_checked",
    why=(
        "If there are more queries than keys, they cannot all be among the keys: raise a "
        "ValueError."
    ),
    change={"if queries > keys:": "if False:"},
    corner=True,
)


wrong(
    "almost_all_is_all",
    why=(
        "A window one position shorter than the keys still hides one: the last query must not see "
        "the first key."
    ),
    change={"if window is None else": "if window is None or window >= keys - 1 else"},
)
