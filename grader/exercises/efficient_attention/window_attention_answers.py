"""Right and wrong answers to `efficient_attention.window_attention`."""

import math

import torch
import torch.nn.functional as F

from grader.author.answers import equivalent, right, wrong
from solutions.efficient_attention import band_mask
from solutions.self_attention import scaled_dot_product_attention


@right
def every_query_gathers_its_keys(query, key, value, *, window):
    length = query.shape[-2]
    back = torch.arange(window - 1, -1, -1, device=query.device)
    index = torch.arange(length, device=query.device)[:, None] - back  # (T, window)
    near_key = key[..., index.clamp(min=0), :]
    near_value = value[..., index.clamp(min=0), :]
    scores = torch.einsum("...td,...twd->...tw", query, near_key) / math.sqrt(query.shape[-1])
    weights = scores.masked_fill(index < 0, -math.inf).softmax(dim=-1)
    return torch.einsum("...tw,...twd->...td", weights, near_value)


@right
def one_shift_after_another(query, key, value, *, window):
    length = query.shape[-2]
    columns, shifted = [], []
    for back in range(min(window, length)):
        near = F.pad(key[..., : length - back, :], (0, 0, back, 0))
        score = (query * near).sum(-1) / query.shape[-1] ** 0.5
        columns.append(score.masked_fill(torch.arange(length, device=key.device) < back, -math.inf))
        shifted.append(F.pad(value[..., : length - back, :], (0, 0, back, 0)))
    weights = torch.stack(columns, dim=-1).softmax(dim=-1)
    return sum(weights[..., n, None] * near for n, near in enumerate(shifted))


@right
def block_by_block(query, key, value, *, window):
    found = []
    for top in range(0, query.shape[-2], window):
        q = query[..., top : top + window, :]
        start, end = max(0, top - window + 1), top + q.shape[-2]
        mask = band_mask(q.shape[-2], end - start, window=window).to(q.device)
        k, v = key[..., start:end, :], value[..., start:end, :]
        found.append(scaled_dot_product_attention(q, k, v, mask))
    return torch.cat(found, dim=-2)


@wrong(
    why=(
        "You computed the table of T × T scores and masked most of it: the result is right, at the "
        "full cost. A window saves work only if the scores outside it are never computed."
    ),
)
def the_table_masked(query, key, value, *, window):
    length = query.shape[-2]
    mask = band_mask(length, length, window=window)
    return scaled_dot_product_attention(query, key, value, mask)


@wrong(
    why=(
        "You hold no table of T × T scores, but compute all of them, some rows at a time: the work "
        "still grows with T². Cut the keys as well as the queries."
    ),
)
def some_rows_at_a_time(query, key, value, *, window):
    found, place = [], torch.arange(key.shape[-2])
    for top in range(0, len(place), window):
        rows = place[top : top + window, None]
        mask = (place <= rows) & (place > rows - window)
        found.append(scaled_dot_product_attention(query[..., rows[:, 0], :], key, value, mask))
    return torch.cat(found, dim=-2)


@wrong(
    why=(
        "You compared each query with all keys, one query at a time, and masked keys outside the "
        "window afterward: you hold no table, but the work still grows with T²."
    ),
)
def one_query_at_a_time(query, key, value, *, window):
    found, place = [], torch.arange(key.shape[-2])
    for t in range(query.shape[-2]):
        scores = (query[..., t, None, :] * key).sum(dim=-1) / query.shape[-1] ** 0.5
        outside = (place > t) | (place <= t - window)
        weights = scores.masked_fill(outside, -math.inf).softmax(dim=-1)
        found.append((weights[..., None] * value).sum(dim=-2))
    return torch.stack(found, dim=-2)


wrong(
    "one_too_wide",
    why="The window includes the position itself; yours reaches one position farther back.",
    change={"2 * window, window=window, device": "2 * window, window=window + 1, device"},
)


wrong(
    "one_too_narrow",
    why="The window is the position itself and the window − 1 positions before it; yours "
    "is one too short.",
    change={
        "band_mask(window, 2 * window, window=window, device=query.device)": (
            "band_mask(window, 2 * window, window=max(1, window - 1), device=query.device)"
        )
    },
)


wrong(
    "padding_attended",
    why=(
        "The first block is preceded by padding. Its zeros count as keys unless they are masked: a "
        "score of 0 has the weight exp(0) = 1."
    ),
    change={"mask & ~(first & padding)": "mask"},
)


wrong(
    "padding_told_by_its_zeros",
    why=(
        "You recognized padding by its zeros, which also leaves out a real key of zeros. Such a "
        "key has a score of 0, and exp(0) = 1 counts; mask by position instead."
    ),
    change={"mask & ~(first & padding)": "mask & (key != 0).any(dim=-1).unsqueeze(-2)"},
)


wrong(
    "own_block_alone",
    why=(
        "Your queries see only their own block, so the first of a block sees only itself. Windows "
        "slide; blocks do not."
    ),
    change={"mask & ~(first & padding)": "mask & ~padding"},
)


wrong(
    "both_blocks_whole",
    why=(
        "Your queries see the past of their block and the whole block before: up to twice the "
        "window, depending on their position."
    ),
    change={"2 * window, window=window, device": "2 * window, device"},
)


wrong(
    "the_future_too",
    why="Your window reaches to both sides. This one is causal: it ends with the query's position.",
    change={
        "band_mask(window, 2 * window, window=window, device=query.device)": (
            "band_mask(window, 2 * window, window=window) | "
            "band_mask(2 * window, 2 * window)[:window].flip(0)"
        )
    },
)


wrong(
    "no_root",
    why="You did not divide the scores by √d_k.",
    change={
        "scaled_dot_product_attention(query, key,": (
            "scaled_dot_product_attention(query * query.shape[-1] ** 0.5, key,"
        )
    },
)


equivalent(
    "window = min(window, (length))",
    why="at least 1 for a text of no positions alone, which the statement does not speak of",
)


equivalent(
    "window = min(window, max(length, 2))",
    why="a window of 2 in a text of one position sees that one alone",
)


wrong(
    "made_on_the_processor",
    why=(
        "You made a tensor, such as the mask, on the CPU, whatever device the inputs are on; with "
        "a model on a GPU, torch refuses."
    ),
    change={"window=window, device=query.device)": "window=window)"},
    corner=True,
)
