"""Exercises on interpretability: superposition, sparse codes, lenses, probes, patches, ablation.

What they share: inputs of few bits, which make small records.
"""

import numpy as np


def few(rng, *shape):
    """Normal numbers, rounded to multiples of 1/32."""
    return np.round(32 * rng.standard_normal(shape)) / 32


def distinct(rng, *shape):
    """Numbers of both signs, no two of a last axis equal: multiples of 1/8."""
    count = shape[-1]
    rows = int(np.prod(shape[:-1], dtype=int))
    values = [rng.permutation(np.arange(-2 * count, 2 * count) + 0.5)[:count] for _ in range(rows)]
    return np.reshape(values, shape) / 8
