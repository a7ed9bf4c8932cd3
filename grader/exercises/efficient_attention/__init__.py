"""Exercises on efficient attention: a cache, tiles, windows, sums and scans.

What they share: what torch has ready-made, and inputs.
"""

import numpy as np

from grader.author.parameters import few_bits

READY_MADE = (
    "F.scaled_dot_product_attention",
    "F.multi_head_attention_forward",
    "nn.MultiheadAttention",
)
LENGTH = 96  # positions where the cost is counted: a table of scores has 9,216 numbers


def triple(rng, *lead, queries=11, keys=11, d_k=3, d_v=5, size=1.0, **more):
    """Query, key and value."""
    made = {
        "query": size * rng.standard_normal((*lead, queries, d_k)),
        "key": size * rng.standard_normal((*lead, keys, d_k)),
        "value": rng.standard_normal((*lead, keys, d_v)),
    }
    return few_bits(made) | more


def long(rng, *lead, **more):
    """Sequences where the cost is counted."""
    return triple(rng, *lead, queries=LENGTH, keys=LENGTH, **more)


def low(rng, **more):
    """Queries and keys near −10: their features are near 0, and a divisor is near 10⁻⁸."""
    made = triple(rng, 2, **more)
    return {**made, "query": made["query"] - 10, "key": made["key"] - 10}


def lowest(made):
    """Scores of −10⁴⁰ and less, no two of a query near to each other."""
    sized = {name: np.abs(made[name]) + 0.5 for name in ("query", "key")}
    return {**made, "query": -1e20 * sized["query"], "key": 1e20 * sized["key"]}


def far(made):
    """Queries and keys of which some features are 1000: there exp is infinite, and φ is not."""
    for name, at in (("query", 0), ("key", -1)):
        made[name][..., at] = 1000.0
    return made


def attended(rng, *lead, block, causal=False, last=None, common=None, **sizes):
    """Inputs of attention's backward pass; the last key is so many times as long, or all
    scores have ``common`` squared in them.
    """
    made = triple(rng, *lead, **sizes)
    if common:
        made["query"][..., 0], made["key"][..., 0] = common, common
        made["key"][1:, ..., 0] *= -1
    if last:  # its own query is shorter, so that no weight is 1
        made["query"] = np.abs(made["query"])
        made["query"][..., -1, :] /= last
        made["key"][..., -1, :] = last * (0.5 + np.abs(made["key"][..., -1, :]))
    query, key, value = made["query"], made["key"], made["value"]
    scores = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    if causal:
        queries, keys = scores.shape[-2:]
        seen = np.arange(keys) <= np.arange(keys - queries, keys)[:, None]
        scores = np.where(seen, scores, -np.inf)
    top = scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores - top)
    total = weights.sum(axis=-1, keepdims=True)
    output = weights / total @ value
    return {
        "grad": rng.standard_normal(output.shape),
        **made,
        "output": output,
        "log_total": (top + np.log(total))[..., 0],
        "block": block,
        "causal": causal,
    }


def state_space(rng, features=3, states=5):
    """Rates, frequencies, steps and weights of a diagonal state-space model."""
    return {
        "rate": 0.2 + rng.random((features, states)),
        "frequency": 3 * rng.standard_normal((features, states)),
        "step": 0.1 + rng.random(features),
        "weight": rng.standard_normal((features, states, 2)),
    }
