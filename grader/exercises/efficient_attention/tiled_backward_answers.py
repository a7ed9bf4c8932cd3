"""Right and wrong answers to `efficient_attention.tiled_backward`."""

import math

import torch

from grader.author.answers import right, wrong
from solutions.efficient_attention import tiles


@right
def columns_outside_rows_inside(grad, query, key, value, output, log_total, *, block, causal=False):
    queries, keys = query.shape[-2], key.shape[-2]
    scale, past = query.shape[-1] ** -0.5, keys - queries
    row = torch.einsum("...qd,...qd->...q", grad, output)
    grad_query, grad_keys, grad_values = torch.zeros_like(query), [], []
    for left in range(0, keys, block):
        k, v = key[..., left : left + block, :], value[..., left : left + block, :]
        grad_k, grad_v = torch.zeros_like(k), torch.zeros_like(v)
        for top in range(0, queries, block):
            q, g = query[..., top : top + block, :], grad[..., top : top + block, :]
            scores = scale * torch.einsum("...qd,...kd->...qk", q, k)
            if causal:
                at = torch.arange(past + top, past + top + q.shape[-2]).to(q.device)
                seen = torch.arange(left, left + k.shape[-2], device=q.device) <= at[:, None]
                scores = torch.where(seen, scores, -math.inf)
            p = (scores - log_total[..., top : top + block].unsqueeze(-1)).exp()
            grad_v = grad_v + torch.einsum("...qk,...qd->...kd", p, g)
            inner = torch.einsum("...qd,...kd->...qk", g, v)
            ds = scale * p * (inner - row[..., top : top + block].unsqueeze(-1))
            grad_query[..., top : top + block, :] += torch.einsum("...qk,...kd->...qd", ds, k)
            grad_k = grad_k + torch.einsum("...qk,...qd->...kd", ds, q)
        grad_keys.append(grad_k)
        grad_values.append(grad_v)
    return grad_query, torch.cat(grad_keys, -2), torch.cat(grad_values, -2)


@right
def scaled_first_and_last(grad, query, key, value, output, log_total, *, block, causal=False):
    root = query.shape[-1] ** 0.5
    scaled = query / root
    found = [torch.zeros_like(scaled), torch.zeros_like(key), torch.zeros_like(value)]
    cuts = list(tiles(query.shape[-2], key.shape[-2], block=block, causal=causal))
    for rows, columns, mask in reversed(cuts):
        mask = mask if mask is None else mask.to(query.device)
        q, k, v, g = (
            scaled[..., rows, :],
            key[..., columns, :],
            value[..., columns, :],
            grad[..., rows, :],
        )
        scores = q @ k.mT
        if mask is not None:
            scores = torch.where(mask, scores, torch.tensor(-math.inf, dtype=scores.dtype))
        weights = torch.exp(scores - log_total[..., rows].unsqueeze(-1))
        along = (g * output[..., rows, :]).sum(-1, keepdim=True)
        slope = weights * (g @ v.mT) - weights * along
        found[0][..., rows, :] += slope @ k
        found[1][..., columns, :] += slope.mT @ q
        found[2][..., columns, :] += weights.mT @ g
    return found[0] / root, found[1], found[2]


wrong(
    "row_sums_left_out",
    why=(
        "You used P ⊙ (G Vᵀ) without −r: raising one score lowers all other weights, because they "
        "sum to 1."
    ),
    change={"(g @ v.transpose(-2, -1) - row_sums[..., rows, :])": "(g @ v.transpose(-2, -1))"},
)


wrong(
    "row_sums_of_one_tile",
    why=(
        "You summed r over the keys of one tile. It runs over *all* keys of the query; G · O gives "
        "that sum directly."
    ),
    change={
        "row_sums[..., rows, :])": (
            "(weights * (g @ v.transpose(-2, -1))).sum(dim=-1, keepdim=True))"
        )
    },
)


wrong(
    "softmax_of_one_tile",
    why=(
        "You computed the weights by a softmax over the keys of one tile. The weights of the "
        "forward pass are exp(score − log_total), over all keys."
    ),
    change={
        "torch.exp(q @ k.transpose(-2, -1) / root - log_total[..., rows, None])": (
            "torch.softmax(q @ k.transpose(-2, -1) / root, dim=-1)"
        )
    },
)


wrong(
    "root_forgotten_on_the_way_back",
    why="The scores are Q Kᵀ / √d_k, so the gradients of Q and K have this factor, too.",
    change={"- row_sums[..., rows, :]) / root": "- row_sums[..., rows, :])"},
)


wrong(
    "root_forgotten_in_the_weights",
    why="You recomputed the weights from scores that are not divided by √d_k.",
    change={"q @ k.transpose(-2, -1) / root - log": "q @ k.transpose(-2, -1) - log"},
)


wrong(
    "set_instead_of_added",
    why=(
        "Your tiles overwrite the gradient of the keys; many queries attend to a key, and all add "
        "to its gradient."
    ),
    change={"grad_key[..., columns, :] +=": "grad_key[..., columns, :] ="},
)


wrong(
    "query_set_instead_of_added",
    why="Your tiles overwrite the gradient of the queries; it is a sum over the tiles of a row.",
    change={"grad_query[..., rows, :] +=": "grad_query[..., rows, :] ="},
)


wrong(
    "future_in_the_weights",
    why="You did not set the weights of the future to zero, which they are in the forward pass.",
    change={"if mask is not None:": "if False:"},
)


wrong(
    "causal_ignored",
    why="You ignored `causal`: every key got gradients from queries before it.",
    change={"causal=causal, device": "causal=False, device"},
)


wrong(
    "weights_left_out_of_the_slope",
    why="The gradient of a score is its weight times the bracket; you returned only the bracket.",
    change={"slope = weights * (": "slope = ("},
)


@wrong(
    why=(
        "You computed the whole table of weights at once: the gradients are right, but it needs T "
        "× T numbers in memory, which tiles avoid."
    ),
)
def the_whole_table(grad, query, key, value, output, log_total, *, block, causal=False):
    root = math.sqrt(query.shape[-1])
    scores = query @ key.transpose(-2, -1) / root
    if causal:
        queries, keys = scores.shape[-2:]
        future = torch.ones(queries, keys, dtype=torch.bool).triu(keys - queries + 1)
        scores = scores.masked_fill(future, -math.inf)
    weights = torch.exp(scores - log_total[..., None])
    along = (grad * output).sum(-1, keepdim=True)
    slope = weights * (grad @ value.transpose(-2, -1) - along) / root
    return slope @ key, slope.transpose(-2, -1) @ query, weights.transpose(-2, -1) @ grad


wrong(
    "future_times_zero",
    why=(
        "You multiplied the weights of the future by 0 after exp. A score of the future may be far "
        "above log_total: then exp overflows, and ∞ · 0 is NaN. Fill in 0 with `masked_fill` "
        "instead."
    ),
    change={"weights.masked_fill(~mask, 0.0)": "weights * mask"},
    corner=True,
)


@wrong(
    why=(
        "Each of your tiles holds some rows and *all* columns: smaller than the table, but still "
        "one number per key for every query of the tile. Cut the columns, too."
    ),
    corner=True,
)
def rows_alone_are_cut(grad, query, key, value, output, log_total, *, block, causal=False):
    root = math.sqrt(query.shape[-1])
    queries, keys = query.shape[-2], key.shape[-2]
    along = (grad * output).sum(-1, keepdim=True)
    of_query, of_key, of_value = (torch.zeros_like(part) for part in (query, key, value))
    for top in range(0, queries, block):
        rows = slice(top, min(top + block, queries))
        scores = query[..., rows, :] @ key.transpose(-2, -1) / root
        if causal:
            at = torch.arange(rows.start, rows.stop)[:, None] + keys - queries
            scores = scores.masked_fill(torch.arange(keys) > at, -math.inf)
        weights = torch.exp(scores - log_total[..., rows, None])
        slope = weights * (grad[..., rows, :] @ value.transpose(-2, -1) - along[..., rows, :])
        of_query[..., rows, :] = slope / root @ key
        of_key += slope.transpose(-2, -1) / root @ query[..., rows, :]
        of_value += weights.transpose(-2, -1) @ grad[..., rows, :]
    return of_query, of_key, of_value


wrong(
    "exponentials_divided",
    why=(
        "You divided exp(score) by exp(log_total): for large scores both are infinite, for very "
        "negative ones both are 0. Subtract before you take the exponential."
    ),
    change={
        "torch.exp(q @ k.transpose(-2, -1) / root - log_total[..., rows, None])": (
            "torch.exp(q @ k.transpose(-2, -1) / root) / torch.exp(log_total[..., rows, None])"
        )
    },
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
