"""Exercises on attention: scores, weights, gradients, and a decoder that looks back.

What they share: what torch has ready-made, and generators of inputs.
"""

import numpy as np

READY_MADE = (
    "F.scaled_dot_product_attention",
    "nn.MultiheadAttention",
    "nn.attention.flex_attention",
    "F.bilinear",
    "nn.Bilinear",
)
WHOLE = ("query", "key")


def queries_and_keys(rng, *batch, queries=3, keys=5, d_q=7, d_k=7, size=1.0):
    """Queries and keys, every size another prime unless told."""
    return {
        "query": size * rng.standard_normal((*batch, queries, d_q)),
        "key": rng.standard_normal((*batch, keys, d_k)),
    }


def some(rng, *shape):
    """A mask that allows every query something, and forbids it something."""
    mask = rng.random(shape) < 0.5
    mask[..., 1], mask[..., 2] = True, False
    return mask


def weights_of(rng, *shape, size=1.0):
    """Rows that are positive and sum to 1."""
    raised = np.exp(size * rng.standard_normal(shape))
    return raised / raised.sum(axis=-1, keepdims=True)
