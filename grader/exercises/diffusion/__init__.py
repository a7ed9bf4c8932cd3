"""Exercises on diffusion: scores, levels of noise, denoisers, steps back, guidance, hidden tokens.

What they share: inputs of few bits, which make small records.
"""

import numpy as np

from grader.author.exercise import Made

FLOW = np.array([-1.0, 1.0])  # rates of signal and noise on a straight path


def few(rng, *shape):
    """Normal numbers, rounded to multiples of 1/32."""
    return np.round(32 * rng.standard_normal(shape)) / 32


def between(rng, low, high, *shape):
    """Numbers from low to high, multiples of 1/32."""
    return rng.integers(round(32 * low), round(32 * high) + 1, shape) / 32


def mixture(rng, components=3, width=2):
    """Weights, none of them small, means and variances."""
    shares = np.array([3, 6, 7, 10, 6])[:components]
    return {
        "weights": rng.permutation(shares) / shares.sum(),
        "means": few(rng, components, width),
        "variances": between(rng, 0.25, 3, components),
    }


def levels_of(rng, *lead):
    """Levels whose signal and noise do not make a circle, nor a sum of 1."""
    return np.stack([between(rng, 0.25, 0.75, *lead), between(rng, 0.5, 1.25, *lead)], axis=-1)


def step(rng):
    """A level and one with less noise, both far from the ends."""
    now = [between(rng, 0.25, 0.5), between(rng, 0.75, 1)]
    return {
        "now": np.array(now),
        "then": np.array([between(rng, 0.625, 0.875), between(rng, 0.25, 0.5)]),
    }


def affine(rng, width=3, dtype=np.float64):
    """A linear layer in the place of a model or a score; what is made keeps its dtype."""
    weight, bias = few(rng, width, width) / 2, few(rng, width)
    return Made("affine", {"weight": weight.astype(dtype), "bias": bias.astype(dtype)})
