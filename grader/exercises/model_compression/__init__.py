"""Exercises on model compression: scales, codes, packing, integer layers, GPTQ, masks.

What they share: numbers of few bits, none of which lies halfway between two codes.
"""

import numpy as np


def odd(rng, *shape):
    """Odd multiples of 1/512: no multiple of half a step of `absmax_scale` is among them."""
    return (2 * np.round(128 * rng.standard_normal(shape)) + 1) / 512


def few(rng, *shape):
    """Normal numbers, rounded to multiples of 1/32."""
    return np.round(32 * rng.standard_normal(shape)) / 32


def near_codes(rng, scale, limit, *shape):
    """Numbers that lie up to 3/8 of a step from a code of −limit to limit."""
    return scale * (rng.integers(-limit, limit + 1, shape) + rng.integers(-6, 7, shape) / 16)
