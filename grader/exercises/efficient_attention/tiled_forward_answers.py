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
        "You computed the whole table of scores: the result is right, but it needs T × T numbers "
        "in memory, which tiles avoid."
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
        "Each of your tiles holds some rows and *all* columns: smaller than the table, but still "
        "one number per key for every query of the tile. Cut the columns, too."
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
        "You gave each tile a separate softmax and added the results: every tile then has the same "
        "weight, whatever its scores are."
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
    why="You did not divide the scores by √d_k.",
    change={"query = query / math.sqrt(query.shape[-1])": "query = query / 1"},
)


wrong(
    "divided_by_the_size_of_a_value",
    why="You divided the scores by the root of d_v, not of d_k.",
    change={"math.sqrt(query.shape[-1])": "math.sqrt(value.shape[-1])"},
)


wrong(
    "not_divided_by_the_total",
    why="You never divided the sums by their total: the weights of a query must sum to 1.",
    change={"return output / total[..., None]": "return output"},
)


wrong(
    "logarithm_without_the_maximum",
    why=(
        "The total is relative to the maximum, so log Σ exp(score) is the maximum plus the "
        "logarithm of the total."
    ),
    change={"maximum + total.log()": "total.log()"},
)


wrong(
    "future_inside_tiles",
    why=(
        "You left out the tiles that lie wholly in the future, but did not mask the future inside "
        "tiles on the diagonal."
    ),
    change={"if mask is not None:": "if False:"},
)


wrong(
    "causal_ignored",
    why="You ignored `causal`: every query saw the future.",
    change={"causal=causal, device": "causal=False, device"},
)


wrong(
    "blocked_scores_set_to_zero",
    why="You set masked scores to 0, and exp(0) = 1 gives the future weight. Use −∞.",
    change={"masked_fill(~mask, -math.inf)": "masked_fill(~mask, 0.0)"},
)


wrong(
    "mask_inverted",
    why="True may attend; your mask is inverted.",
    change={"masked_fill(~mask,": "masked_fill(mask,"},
)


wrong(
    "a_number_for_infinity",
    why=(
        "You set scores of the future to a large negative number. An allowed score may be smaller "
        "still, and then the future gets weight. Use −∞, which is below every score."
    ),
    change={"scores.masked_fill(~mask, -math.inf)": "scores.masked_fill(~mask, -1e9)"},
    corner=True,
)


wrong(
    "begun_with_a_number",
    why=(
        "You started the maximum at a number such as 0 or −1e9. If all scores are far smaller, it "
        "stays, and the total is 0. Start at −∞."
    ),
    change={"torch.full_like(total, -math.inf)": "torch.full_like(total, -1e30)"},
    corner=True,
)


wrong(
    "made_on_the_processor",
    why=(
        "You made a tensor, such as the mask of a tile, on the CPU, whatever device the inputs are "
        "on; with a model on a GPU, torch refuses."
    ),
    change={", causal=causal, device=query.device)": ", causal=causal)"},
    corner=True,
)
