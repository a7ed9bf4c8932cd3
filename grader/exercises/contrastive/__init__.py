"""Exercises on contrastive learning: pairs, prompts, retrieval, views, patches and teachers.

What they share: inputs of few bits, which make small records.
"""

import numpy as np


def few(rng, *shape):
    """Normal numbers, rounded to multiples of 1/32; no row is zero."""
    return np.round(32 * rng.standard_normal(shape)) / 32


def pairs(rng, count, width, first="images", second="texts"):
    """Two groups of vectors whose lengths differ from row to row."""
    longer = 2.0 ** rng.integers(-1, 3, (2, count, 1))
    one = few(rng, count, width)
    other = one + few(rng, count, width)
    return {first: longer[0] * one, second: longer[1] * other}
