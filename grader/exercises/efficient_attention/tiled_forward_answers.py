"""Right and wrong answers to `efficient_attention.tiled_forward`."""

import math

import torch

from grader.author.answers import right, wrong
from solutions.efficient_attention import absorb, tiles


@right
def rows_outside_columns_inside(query, key, value, *, block, causal=False):
    queries, keys = query.shape[-2], key.shape[-2]
    outputs, logs = [], []
    for top in range(0, queries, block):
        q = query[..., top : top + block, :] * query.shape[-1] ** -0.5
        own = {"dtype": q.dtype, "device": q.device}
        first = keys - queries + top
        at = torch.arange(first, first + q.shape[-2], device=q.device)
        m = torch.full(q.shape[:-1], -math.inf, **own)
        total, output = torch.zeros_like(m), torch.zeros(*q.shape[:-1], value.shape[-1], **own)
        for left in range(0, keys, block):
            if causal and left >= first + q.shape[-2]:
                break
            k, v = key[..., left : left + block, :], value[..., left : left + block, :]
            scores = torch.einsum("...qd,...kd->...qk", q, k)
            if causal:
                hidden = torch.arange(left, left + k.shape[-2], device=q.device) > at[:, None]
                scores = scores.masked_fill(hidden, -math.inf)
            m, total, output = absorb(m, total, output, scores, v)
        outputs.append(output / total[..., None])
        logs.append(m + torch.log(total))
    return torch.cat(outputs, dim=-2), torch.cat(logs, dim=-1)


@right
def logarithms_instead_of_a_maximum(query, key, value, *, block, causal=False):
    queries, keys = query.shape[-2], key.shape[-2]
    outputs, logs = [], []
    for row in range(queries):
        q = query[..., row : row + 1, :]
        end = keys - queries + row + 1 if causal else keys
        log_total, output = None, None
        for left in range(0, end, block):
            right = min(left + block, end)
            scores = q @ key[..., left:right, :].transpose(-2, -1) / math.sqrt(q.shape[-1])
            own = torch.logsumexp(scores, dim=-1)
            found = torch.softmax(scores, dim=-1) @ value[..., left:right, :]
            if output is None:
                log_total, output = own, found
            else:
                both = torch.logaddexp(log_total, own)
                output = (
                    torch.exp(log_total - both)[..., None] * output
                    + torch.exp(own - both)[..., None] * found
                )
                log_total = both
        outputs.append(output)
        logs.append(log_total)
    return torch.cat(outputs, dim=-2), torch.cat(logs, dim=-1)


@wrong(
    why=(
        "The whole table of scores is made: right numbers, and T × T of them in memory. "
        "That was to "
        "be avoided."
    ),
)
def the_whole_table(query, key, value, *, block, causal=False):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    if causal:
        queries, keys = scores.shape[-2:]
        future = torch.ones(queries, keys, dtype=torch.bool).triu(keys - queries + 1)
        scores = scores.masked_fill(future, -math.inf)
    return scores.softmax(-1) @ value, scores.logsumexp(-1)


@wrong(
    why=(
        "Each tile holds some rows and *all* columns: less than the table, and still a number per "
        "key for every query of the tile. Cut the columns too."
    ),
)
def rows_of_the_table(query, key, value, *, block, causal=False):
    outputs, logs = [], []
    past = key.shape[-2] - query.shape[-2]
    for top in range(0, query.shape[-2], block):
        q = query[..., top : top + block, :]
        scores = q @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
        if causal:
            at = torch.arange(past + top, past + top + q.shape[-2])[:, None]
            scores = scores.masked_fill(torch.arange(key.shape[-2]) > at, -math.inf)
        outputs.append(scores.softmax(-1) @ value)
        logs.append(scores.logsumexp(-1))
    return torch.cat(outputs, dim=-2), torch.cat(logs, dim=-1)


@wrong(
    why=(
        "Each tile has a softmax of its own and their results are added: every tile then weighs as "
        "much as any other, whatever its scores are."
    ),
)
def a_softmax_per_tile(query, key, value, *, block, causal=False):
    output = torch.zeros(*query.shape[:-1], value.shape[-1], dtype=query.dtype)
    number = torch.zeros(query.shape[:-1], dtype=query.dtype)
    logs = torch.full_like(number, -math.inf)
    for rows, columns, mask in tiles(
        query.shape[-2], key.shape[-2], block=block, causal=causal, device=query.device
    ):
        scores = query[..., rows, :] @ key[..., columns, :].transpose(-2, -1)
        scores = scores / math.sqrt(query.shape[-1])
        seen = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask
        own = torch.softmax(scores.masked_fill(~seen, -1e30), dim=-1) * seen.any(-1, keepdim=True)
        output[..., rows, :] += own @ value[..., columns, :]
        number[..., rows] += own.sum(-1)
        logs[..., rows] = torch.logaddexp(
            logs[..., rows], scores.masked_fill(~seen, -math.inf).logsumexp(-1)
        )
    return output / number[..., None], logs


wrong(
    "not_divided_by_the_root",
    why="The scores were not divided by √d_k.",
    change={"query = query / math.sqrt(query.shape[-1])": "query = query / 1"},
)


wrong(
    "divided_by_the_size_of_a_value",
    why="The scores were divided by the root of the size of a value, not of a key.",
    change={"math.sqrt(query.shape[-1])": "math.sqrt(value.shape[-1])"},
)


wrong(
    "not_divided_by_the_total",
    why="The sums were never divided by their total: the weights of a query must sum to 1.",
    change={"return output / total[..., None]": "return output"},
)


wrong(
    "logarithm_without_the_maximum",
    why=(
        "The total is written relative to the maximum; log Σ exp(score) is the maximum plus the "
        "logarithm of the total."
    ),
    change={"maximum + total.log()": "total.log()"},
)


wrong(
    "future_inside_tiles",
    why=(
        "Tiles that hold the future alone were left out, and inside of a tile on the diagonal the "
        "future was not masked."
    ),
    change={"if mask is not None:": "if False:"},
)


wrong(
    "causal_ignored",
    why="Asked for was causal attention; every query saw the future.",
    change={"causal=causal, device": "causal=False, device"},
)


wrong(
    "blocked_scores_set_to_zero",
    why=(
        "A blocked score was set to 0, and exp(0) = 1: the future still weighs something. It is −∞."
    ),
    change={"masked_fill(~mask, -math.inf)": "masked_fill(~mask, 0.0)"},
)


wrong(
    "mask_inverted",
    why="True may attend; you blocked what is allowed and allowed what is not.",
    change={"masked_fill(~mask,": "masked_fill(mask,"},
)


wrong(
    "a_number_for_infinity",
    why=(
        "Scores of the future were set to a large negative number. An allowed score may be smaller "
        "still, and then the future gets its weight: −∞ is below all of them."
    ),
    change={"scores.masked_fill(~mask, -math.inf)": "scores.masked_fill(~mask, -1e9)"},
    corner=True,
)


wrong(
    "begun_with_a_number",
    why=(
        "The maximum began with a large negative number, which stays where all scores are smaller "
        "still: then the total is 0. Begin with −∞."
    ),
    change={"torch.full_like(total, -math.inf)": "torch.full_like(total, -1e30)"},
    corner=True,
)


wrong(
    "masks_on_the_processor",
    why=(
        "The masks of tiles are made on the processor, whatever the inputs are on; with a "
        "model on a GPU the two meet, and torch refuses."
    ),
    change={", causal=causal, device=query.device)": ", causal=causal)"},
    corner=True,
)
